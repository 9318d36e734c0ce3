// Queries of a device's abilities: the answers leave out the ability that no device is to have, one
// of
//   vulkan1.3, graphics, display, a feature (timelineSemaphore, synchronization2), an extension
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "calls.h"
#include "chains.h"
#include "plan.h"

namespace vulkan_faults {
namespace {

template <class Call>
Call next_of(VkPhysicalDevice gpu, const char* name) {
  return reinterpret_cast<Call>(chains().next(gpu, name));
}

void limit(VkPhysicalDeviceProperties& properties) {
  if (!plan().lacks("vulkan1.3")) return;
  properties.apiVersion = std::min<std::uint32_t>(properties.apiVersion, VK_API_VERSION_1_2);
}

VKAPI_ATTR void VKAPI_CALL get_properties(VkPhysicalDevice gpu,
                                          VkPhysicalDeviceProperties* properties) {
  next_of<PFN_vkGetPhysicalDeviceProperties>(gpu, "vkGetPhysicalDeviceProperties")(gpu, properties);
  limit(*properties);
}

VKAPI_ATTR void VKAPI_CALL get_properties2(VkPhysicalDevice gpu,
                                           VkPhysicalDeviceProperties2* properties) {
  next_of<PFN_vkGetPhysicalDeviceProperties2>(gpu, "vkGetPhysicalDeviceProperties2")(gpu,
                                                                                     properties);
  limit(properties->properties);
}

VKAPI_ATTR void VKAPI_CALL get_features(VkPhysicalDevice gpu, VkPhysicalDeviceFeatures2* features) {
  next_of<PFN_vkGetPhysicalDeviceFeatures2>(gpu, "vkGetPhysicalDeviceFeatures2")(gpu, features);
  for (auto* each = static_cast<VkBaseOutStructure*>(features->pNext); each != nullptr;
       each = each->pNext) {
    if (each->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES &&
        plan().lacks("timelineSemaphore")) {
      reinterpret_cast<VkPhysicalDeviceVulkan12Features*>(each)->timelineSemaphore = VK_FALSE;
    }
    if (each->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES &&
        plan().lacks("synchronization2")) {
      reinterpret_cast<VkPhysicalDeviceVulkan13Features*>(each)->synchronization2 = VK_FALSE;
    }
  }
}

VKAPI_ATTR void VKAPI_CALL get_queues(VkPhysicalDevice gpu, std::uint32_t* count,
                                      VkQueueFamilyProperties* families) {
  next_of<PFN_vkGetPhysicalDeviceQueueFamilyProperties>(
      gpu, "vkGetPhysicalDeviceQueueFamilyProperties")(gpu, count, families);
  if (families == nullptr || !plan().lacks("graphics")) return;
  for (std::uint32_t i = 0; i < *count; ++i) {
    families[i].queueFlags &= ~static_cast<VkQueueFlags>(VK_QUEUE_GRAPHICS_BIT);
  }
}

VKAPI_ATTR VkResult VKAPI_CALL get_surface_support(VkPhysicalDevice gpu, std::uint32_t family,
                                                   VkSurfaceKHR surface, VkBool32* can) {
  const VkResult result = next_of<PFN_vkGetPhysicalDeviceSurfaceSupportKHR>(
      gpu, "vkGetPhysicalDeviceSurfaceSupportKHR")(gpu, family, surface, can);
  if (plan().lacks("display")) *can = VK_FALSE;
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL list_extensions(VkPhysicalDevice gpu, const char* layer,
                                               std::uint32_t* count,
                                               VkExtensionProperties* extensions) {
  const auto next = next_of<PFN_vkEnumerateDeviceExtensionProperties>(
      gpu, "vkEnumerateDeviceExtensionProperties");
  std::uint32_t all = 0;
  if (const VkResult result = next(gpu, layer, &all, nullptr); result != VK_SUCCESS) return result;
  std::vector<VkExtensionProperties> list(all);
  const VkResult result = next(gpu, layer, &all, list.data());
  if (result != VK_SUCCESS) return result;
  list.resize(all);
  std::erase_if(list, [](const VkExtensionProperties& extension) {
    return plan().lacks(extension.extensionName);
  });
  const auto left = static_cast<std::uint32_t>(list.size());
  if (extensions == nullptr) {
    *count = left;
    return VK_SUCCESS;
  }
  *count = std::min(*count, left);
  std::copy_n(list.begin(), *count, extensions);
  return *count < left ? VK_INCOMPLETE : VK_SUCCESS;
}

struct LackingCall {
  std::string_view name;
  PFN_vkVoidFunction call;
};

template <class Call>
LackingCall entry(std::string_view name, Call call) {
  return {name, reinterpret_cast<PFN_vkVoidFunction>(call)};
}

const std::array kLackingCalls{
    entry("vkEnumerateDeviceExtensionProperties", list_extensions),
    entry("vkGetPhysicalDeviceFeatures2", get_features),
    entry("vkGetPhysicalDeviceProperties", get_properties),
    entry("vkGetPhysicalDeviceProperties2", get_properties2),
    entry("vkGetPhysicalDeviceQueueFamilyProperties", get_queues),
    entry("vkGetPhysicalDeviceSurfaceSupportKHR", get_surface_support),
};

}  // namespace

PFN_vkVoidFunction lacking_call(const char* name) {
  const auto* found = std::ranges::find(kLackingCalls, std::string_view(name), &LackingCall::name);
  return found != kLackingCalls.end() ? found->call : nullptr;
}

std::vector<std::string_view> lacking_calls() {
  std::vector<std::string_view> names;
  for (const LackingCall& entry : kLackingCalls) names.push_back(entry.name);
  return names;
}

}  // namespace vulkan_faults
