#include "present/device.h"

#include <algorithm>
#include <string>
#include <vector>

#include "present/handle.h"
#include "present/vulkan_error.h"

namespace mote::present {
namespace {

std::vector<std::string> extensions_of(const GpuInfo& gpu) {
  std::uint32_t count = 0;
  check(vkEnumerateDeviceExtensionProperties(gpu.handle, nullptr, &count, nullptr),
        "list extensions", gpu.name);
  std::vector<VkExtensionProperties> extensions(count);
  check(vkEnumerateDeviceExtensionProperties(gpu.handle, nullptr, &count, extensions.data()),
        "list extensions", gpu.name);
  std::vector<std::string> names;
  for (const VkExtensionProperties& extension : extensions) {
    names.emplace_back(extension.extensionName);
  }
  return names;
}

VkDevice make_device(const GpuInfo& gpu, const std::vector<const char*>& extensions) {
  const float priority = 1;
  auto queue = structure<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
  queue.queueFamilyIndex = gpu.queue_family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  auto of_1_3 = structure<VkPhysicalDeviceVulkan13Features>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
  of_1_3.synchronization2 = VK_TRUE;
  auto of_1_2 = structure<VkPhysicalDeviceVulkan12Features>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &of_1_3);
  of_1_2.timelineSemaphore = VK_TRUE;
  auto info = structure<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &of_1_2);
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  VkDevice device = VK_NULL_HANDLE;
  check(vkCreateDevice(gpu.handle, &info, nullptr, &device), "open the device", gpu.name);
  return device;
}

}  // namespace

Device::Device(const Instance& instance, const GpuInfo& gpu, bool with_swapchains) : gpu_(gpu) {
  std::vector<const char*> extensions;
  if (with_swapchains) extensions.push_back(VK_KHR_SWAPCHAIN_EXTENSION_NAME);
  const std::vector<std::string> there = extensions_of(gpu);
  const auto take = [&](const char* name) {
    const bool is_there = std::find(there.begin(), there.end(), name) != there.end();
    if (is_there) extensions.push_back(name);
    return is_there;
  };
  exports_memory_ = take(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
  exports_semaphores_ = take(VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME);
  device_ = make_device(gpu, extensions);
  vkGetDeviceQueue(device_, gpu.queue_family, 0, &queue_);
  vkGetPhysicalDeviceMemoryProperties(gpu.handle, &memory_);
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(gpu.handle, &properties);
  largest_image_side_ = static_cast<int>(properties.limits.maxImageDimension2D);
  shares_memory_ =
      gpu.type == VK_PHYSICAL_DEVICE_TYPE_CPU || gpu.type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
  if (instance.has_names()) {
    set_object_name_ = reinterpret_cast<PFN_vkSetDebugUtilsObjectNameEXT>(
        vkGetDeviceProcAddr(device_, "vkSetDebugUtilsObjectNameEXT"));
  }
}

Device::~Device() {
  vkDeviceWaitIdle(device_);  // result ignored: a lost device has nothing to wait for
  vkDestroyDevice(device_, nullptr);
}

void Device::check(VkResult result, std::string_view what) const {
  present::check(result, what, gpu_.name);
}

std::optional<std::uint32_t> Device::memory_type(std::uint32_t allowed,
                                                 VkMemoryPropertyFlags wanted) const {
  for (std::uint32_t i = 0; i < memory_.memoryTypeCount; ++i) {
    const VkMemoryPropertyFlags has = memory_.memoryTypes[i].propertyFlags;
    if ((allowed >> i & 1) != 0 && (has & wanted) == wanted) return i;
  }
  return std::nullopt;
}

void Device::wait_idle() const {
  check(vkDeviceWaitIdle(device_), "wait for the device");
}

void Device::set_object_name(VkObjectType type, std::uint64_t object, const char* name) const {
  if (set_object_name_ == nullptr) return;
  auto info =
      structure<VkDebugUtilsObjectNameInfoEXT>(VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT);
  info.objectType = type;
  info.objectHandle = object;
  info.pObjectName = name;
  check(set_object_name_(device_, &info), "name an object");
}

}  // namespace mote::present
