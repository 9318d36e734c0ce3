#pragma once

#include <cstdint>

#include "present/device.h"
#include "present/handle.h"

namespace mote::present {

/// How far the device has come with numbered work: a timeline semaphore.
class Timeline {
 public:
  explicit Timeline(const Device& device);

  VkSemaphore get() const { return semaphore_.get(); }
  /// The largest number that was signalled. Throws DeviceLost, Error.
  std::uint64_t reached() const;
  /// Throws DeviceLost, and Error where the device needs longer than ten seconds.
  void wait(std::uint64_t number) const;

 private:
  const Device& device_;
  Semaphore semaphore_;
};

/// A timeline semaphore at 0. `extension`: of VkSemaphoreCreateInfo. Throws Error.
Semaphore make_timeline_semaphore(const Device& device, void* extension = nullptr);

}  // namespace mote::present
