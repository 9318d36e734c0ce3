#include "present/timeline.h"

#include "present/handle.h"

namespace mote::present {
namespace {

constexpr std::uint64_t kFramePatience_ns = 10'000'000'000;

}  // namespace

Semaphore make_timeline_semaphore(const Device& device, void* extension) {
  auto type =
      structure<VkSemaphoreTypeCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, extension);
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  const auto info =
      structure<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type);
  VkSemaphore semaphore = VK_NULL_HANDLE;
  device.check(vkCreateSemaphore(device.handle(), &info, nullptr, &semaphore), "make a semaphore");
  return {device.handle(), semaphore};
}

Timeline::Timeline(const Device& device)
    : device_(device), semaphore_(make_timeline_semaphore(device)) {}

std::uint64_t Timeline::reached() const {
  std::uint64_t value = 0;
  device_.check(vkGetSemaphoreCounterValue(device_.handle(), semaphore_.get(), &value),
                "query the device's progress");
  return value;
}

void Timeline::wait(std::uint64_t number) const {
  const VkSemaphore semaphore = semaphore_.get();
  auto info = structure<VkSemaphoreWaitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO);
  info.semaphoreCount = 1;
  info.pSemaphores = &semaphore;
  info.pValues = &number;
  device_.check(vkWaitSemaphores(device_.handle(), &info, kFramePatience_ns), "wait for a frame");
}

}  // namespace mote::present
