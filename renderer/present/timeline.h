#pragma once

#include <cstdint>

#include "present/device.h"
#include "present/handle.h"

namespace mote::present {

/// A timeline semaphore that counts completed work.
class Timeline {
 public:
  explicit Timeline(const Device& device);

  VkSemaphore get() const { return semaphore_.get(); }
  /// The largest signalled number. Throws DeviceLost, Error.
  std::uint64_t reached() const;
  /// Waits for the number. Throws DeviceLost, and Error after ten seconds.
  void wait(std::uint64_t number) const;

 private:
  const Device& device_;
  Semaphore semaphore_;
};

/// Makes a timeline semaphore at 0. `extension`: pNext of VkSemaphoreCreateInfo. Throws Error.
Semaphore make_timeline_semaphore(const Device& device, void* extension = nullptr);

}  // namespace mote::present
