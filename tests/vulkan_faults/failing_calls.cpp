// Calls that return the planned result.
#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "calls.h"
#include "chains.h"
#include "plan.h"

namespace vulkan_faults {
namespace {

/// The name of a call as a template argument.
template <std::size_t N>
struct CallName {
  char text[N];
  consteval CallName(const char (&name)[N]) { std::copy_n(name, N, text); }
  constexpr std::string_view view() const { return {text, N - 1}; }
};

/// Calls that run although they fail: waits for the device, so that objects destroyed afterwards
/// are not in use, and a present, so that its semaphores are waited for.
template <CallName kName>
constexpr bool kDoneAnyway =
    kName.view() == "vkDeviceWaitIdle" || kName.view() == "vkQueueWaitIdle" ||
    kName.view() == "vkQueuePresentKHR";

/// `handle` belongs to a device, its queue, or a physical device.
template <CallName kName, class Handle, class... Rest>
VKAPI_ATTR VkResult VKAPI_CALL may_fail(Handle handle, Rest... rest) {
  const auto next =
      reinterpret_cast<VkResult(VKAPI_PTR*)(Handle, Rest...)>(chains().next(handle, kName.text));
  const std::optional<VkResult> fault = plan().fault_of(kName.view());
  if (fault == VK_ERROR_DEVICE_LOST) chains().lose(handle);
  const VkResult given =
      chains().is_lost(handle) ? VK_ERROR_DEVICE_LOST : fault.value_or(VK_SUCCESS);
  const bool is_done = given == VK_SUCCESS || given == VK_SUBOPTIMAL_KHR || kDoneAnyway<kName>;
  const VkResult found = is_done ? next(handle, rest...) : VK_SUCCESS;
  return found == VK_SUCCESS ? given : found;
}

struct Entry {
  std::string_view name;
  PFN_vkVoidFunction call;
};

template <CallName kName, class Handle, class... Rest>
Entry entry(VkResult(VKAPI_PTR*)(Handle, Rest...)) {
  return {kName.view(), reinterpret_cast<PFN_vkVoidFunction>(&may_fail<kName, Handle, Rest...>)};
}

const std::array kEntries{
    entry<"vkAcquireNextImageKHR">(PFN_vkAcquireNextImageKHR{}),
    entry<"vkAllocateMemory">(PFN_vkAllocateMemory{}),
    entry<"vkCreateSwapchainKHR">(PFN_vkCreateSwapchainKHR{}),
    entry<"vkDeviceWaitIdle">(PFN_vkDeviceWaitIdle{}),
    entry<"vkGetMemoryFdKHR">(PFN_vkGetMemoryFdKHR{}),
    entry<"vkGetPhysicalDeviceSurfaceCapabilitiesKHR">(
        PFN_vkGetPhysicalDeviceSurfaceCapabilitiesKHR{}),
    entry<"vkGetSemaphoreCounterValue">(PFN_vkGetSemaphoreCounterValue{}),
    entry<"vkQueuePresentKHR">(PFN_vkQueuePresentKHR{}),
    entry<"vkQueueSubmit">(PFN_vkQueueSubmit{}),
    entry<"vkQueueSubmit2">(PFN_vkQueueSubmit2{}),
    entry<"vkQueueWaitIdle">(PFN_vkQueueWaitIdle{}),
    entry<"vkWaitSemaphores">(PFN_vkWaitSemaphores{}),
};

}  // namespace

PFN_vkVoidFunction failing_call(const char* name) {
  const auto* found = std::ranges::find(kEntries, std::string_view(name), &Entry::name);
  return found != kEntries.end() ? found->call : nullptr;
}

std::vector<std::string_view> failing_calls() {
  std::vector<std::string_view> names;
  for (const Entry& entry : kEntries) names.push_back(entry.name);
  return names;
}

}  // namespace vulkan_faults
