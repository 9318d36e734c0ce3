#include "present/gpu_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/options.h"
#include "core/spelling.h"
#include "present/handle.h"
#include "present/surface.h"
#include "present/vulkan_error.h"

namespace mote::present {
namespace {

constexpr const char* kOtherGpu = "update its driver, or choose another with --gpu";

// Best first.
constexpr VkPhysicalDeviceType kTypesByWorth[] = {
    VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
    VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU, VK_PHYSICAL_DEVICE_TYPE_CPU,
    VK_PHYSICAL_DEVICE_TYPE_OTHER};

bool has_device_extension(VkPhysicalDevice gpu, std::string_view name) {
  std::uint32_t count = 0;
  check(vkEnumerateDeviceExtensionProperties(gpu, nullptr, &count, nullptr), "list extensions",
        "Vulkan");
  std::vector<VkExtensionProperties> extensions(count);
  check(vkEnumerateDeviceExtensionProperties(gpu, nullptr, &count, extensions.data()),
        "list extensions", "Vulkan");
  return std::any_of(
      extensions.begin(), extensions.end(),
      [&](const VkExtensionProperties& extension) { return extension.extensionName == name; });
}

bool presents(VkPhysicalDevice gpu, std::uint32_t family, VkSurfaceKHR surface) {
  VkBool32 can = VK_FALSE;
  return vkGetPhysicalDeviceSurfaceSupportKHR(gpu, family, surface, &can) == VK_SUCCESS &&
         can == VK_TRUE;
}

void look_for_queues(GpuInfo& info, VkSurfaceKHR surface, GpuAbilities& abilities) {
  std::uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(info.handle, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(info.handle, &count, families.data());
  for (std::uint32_t family = 0; family < count; ++family) {
    if ((families[family].queueFlags & VK_QUEUE_GRAPHICS_BIT) == 0) continue;
    if (!abilities.draws) info.queue_family = family;
    abilities.draws = true;
    if (surface != VK_NULL_HANDLE && presents(info.handle, family, surface)) {
      info.queue_family = family;
      abilities.shows_on_surface = true;
      return;
    }
  }
}

void look_for_features(const GpuInfo& info, GpuAbilities& abilities) {
  // An older device must not be queried for the features of 1.3.
  if (info.api_version < VK_API_VERSION_1_3) return;
  auto of_1_3 = structure<VkPhysicalDeviceVulkan13Features>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
  auto of_1_2 = structure<VkPhysicalDeviceVulkan12Features>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &of_1_3);
  auto features =
      structure<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &of_1_2);
  vkGetPhysicalDeviceFeatures2(info.handle, &features);
  abilities.timeline_semaphores = of_1_2.timelineSemaphore == VK_TRUE;
  abilities.synchronization2 = of_1_3.synchronization2 == VK_TRUE;
}

std::uint64_t largest_local_heap(VkPhysicalDevice gpu) {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(gpu, &memory);
  std::uint64_t largest = 0;
  for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
    if ((memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0) {
      largest = std::max<std::uint64_t>(largest, memory.memoryHeaps[i].size);
    }
  }
  return largest;
}

void describe(GpuInfo& info) {
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(info.handle, &properties);
  info.name = properties.deviceName;
  info.type = properties.deviceType;
  info.api_version = properties.apiVersion;
  info.memory_bytes = largest_local_heap(info.handle);
  if (info.api_version < VK_API_VERSION_1_2) return;
  auto driver = structure<VkPhysicalDeviceDriverProperties>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES);
  auto id = structure<VkPhysicalDeviceIDProperties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
                                                    &driver);
  auto all =
      structure<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &id);
  vkGetPhysicalDeviceProperties2(info.handle, &all);
  info.driver = fmt::format("{}, {}", driver.driverName, driver.driverInfo);
  std::copy_n(id.deviceUUID, info.uuid.size(), info.uuid.begin());
}

GpuInfo look_at(VkPhysicalDevice gpu, int index, VkSurfaceKHR surface) {
  GpuInfo info;
  info.index = index;
  info.handle = gpu;
  describe(info);
  GpuAbilities abilities;
  abilities.api_version = info.api_version;
  look_for_features(info, abilities);
  look_for_queues(info, surface, abilities);
  abilities.needs_window = surface != VK_NULL_HANDLE;
  if (abilities.needs_window) {
    abilities.has_swapchains = has_device_extension(gpu, VK_KHR_SWAPCHAIN_EXTENSION_NAME);
    abilities.has_surface_formats = abilities.shows_on_surface && abilities.has_swapchains &&
                                    choose_surface_format(gpu, surface).has_value();
  }
  info.problem = problem_of(abilities);
  return info;
}

std::string names_of(std::span<const GpuInfo> gpus) {
  std::string names;
  for (const GpuInfo& gpu : gpus) {
    names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", gpu.index, gpu.name);
  }
  return names;
}

const GpuInfo& usable(const GpuInfo& gpu) {
  if (!gpu.problem.empty()) throw Error(gpu.problem, gpu.name, kOtherGpu);
  return gpu;
}

const GpuInfo& best_of(std::span<const GpuInfo> gpus) {
  for (const VkPhysicalDeviceType type : kTypesByWorth) {
    for (const GpuInfo& gpu : gpus) {
      if (gpu.type == type && gpu.problem.empty()) return gpu;
    }
  }
  std::string problems;
  for (const GpuInfo& gpu : gpus) {
    problems += fmt::format("{}{} {}", problems.empty() ? "" : "; ", gpu.name, gpu.problem);
  }
  throw Error("no device is usable: " + problems, "Vulkan",
              "update the graphics driver; the package mesa-vulkan-drivers works without a "
              "graphics card");
}

std::optional<int> as_index(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string_view type_name(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return "discrete";
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return "integrated";
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return "virtual";
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return "CPU";
    default:
      return "other";
  }
}

std::string problem_of(const GpuAbilities& abilities) {
  if (abilities.api_version < VK_API_VERSION_1_3) {
    return fmt::format("supports Vulkan {}.{}, but 1.3 is needed",
                       VK_API_VERSION_MAJOR(abilities.api_version),
                       VK_API_VERSION_MINOR(abilities.api_version));
  }
  if (!abilities.timeline_semaphores) return "lacks the feature timelineSemaphore";
  if (!abilities.synchronization2) return "lacks the feature synchronization2";
  if (!abilities.draws) return "has no graphics queue";
  if (!abilities.needs_window) return "";
  if (!abilities.shows_on_surface) return "cannot show images on this display";
  if (!abilities.has_swapchains) return "lacks the extension VK_KHR_swapchain";
  if (!abilities.has_surface_formats)
    return "cannot show images with 8 bits per channel on this display";
  return "";
}

std::vector<GpuInfo> list_gpus(VkInstance instance, VkSurfaceKHR surface) {
  std::uint32_t count = 0;
  check(vkEnumeratePhysicalDevices(instance, &count, nullptr), "list devices", "Vulkan");
  std::vector<VkPhysicalDevice> handles(count);
  check(vkEnumeratePhysicalDevices(instance, &count, handles.data()), "list devices", "Vulkan");
  std::vector<GpuInfo> gpus;
  for (std::uint32_t i = 0; i < count; ++i) {
    gpus.push_back(look_at(handles[i], static_cast<int>(i), surface));
  }
  return gpus;
}

const GpuInfo& choose_gpu(std::span<const GpuInfo> gpus, std::string_view wanted) {
  if (gpus.empty()) check(VK_ERROR_INCOMPATIBLE_DRIVER, "find a device", "Vulkan");
  if (wanted == "auto") return best_of(gpus);
  const std::string where = fmt::format("--gpu {}", wanted);
  const std::string remedy = fmt::format("give auto, or one of: {}", names_of(gpus));
  if (const std::optional<int> index = as_index(wanted)) {
    if (*index < 0 || *index >= static_cast<int>(gpus.size())) {
      throw UsageError("there is no such device", where, remedy);
    }
    return usable(gpus[static_cast<std::size_t>(*index)]);
  }
  const GpuInfo* found = nullptr;
  for (const GpuInfo& gpu : gpus) {
    if (lower_case(gpu.name).find(lower_case(wanted)) == std::string::npos) continue;
    if (found != nullptr) throw UsageError("several devices have this name", where, remedy);
    found = &gpu;
  }
  if (found == nullptr || wanted.empty()) {
    throw UsageError("there is no such device", where, remedy);
  }
  return usable(*found);
}

}  // namespace mote::present
