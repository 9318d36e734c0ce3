#pragma once

// The devices of this machine's Vulkan drivers, and whether Mote can present on them.

#include <vulkan/vulkan.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mote::present {

/// One device as reported by its driver.
struct GpuInfo {
  int index = 0;  // argument of --gpu
  std::string name;
  VkPhysicalDeviceType type = VK_PHYSICAL_DEVICE_TYPE_OTHER;
  std::string driver;             // "llvmpipe, Mesa 22.3.6"
  std::uint32_t api_version = 0;  // packed by Vulkan
  /// The same in every API of the driver, including CUDA.
  std::array<std::uint8_t, VK_UUID_SIZE> uuid{};
  /// Dedicated, or the share of the machine's memory that it may use.
  std::uint64_t memory_bytes = 0;
  std::string problem;  // reason why it is unusable; empty where it is usable

  VkPhysicalDevice handle = VK_NULL_HANDLE;
  std::uint32_t queue_family = 0;  // draws, and presents if there is a surface
};

/// "discrete", "integrated", "virtual", "CPU", "other".
std::string_view type_name(VkPhysicalDeviceType type);

/// Abilities of a device that presenting requires.
struct GpuAbilities {
  std::uint32_t api_version = 0;
  bool timeline_semaphores = false;
  bool synchronization2 = false;
  bool draws = false;                // has a queue for graphics
  bool needs_window = false;         // the members below are required only then
  bool shows_on_surface = false;     // such a queue presents on the surface
  bool has_swapchains = false;       // extension VK_KHR_swapchain
  bool has_surface_formats = false;  // has one with 8 bits per channel
};

/// The reason why a device is unusable, as a phrase; empty where it is usable.
std::string problem_of(const GpuAbilities& abilities);

/// All devices, usable or not, in the drivers' order. `surface`: where they must present; null
/// without a window. Throws Error where the drivers cannot be queried.
std::vector<GpuInfo> list_gpus(VkInstance instance, VkSurfaceKHR surface);

/// `wanted` is "auto", an index, or a part of a name, ignoring case. "auto" chooses the first
/// usable device of the best type: discrete, integrated, virtual, CPU. Throws UsageError where
/// `wanted` matches no device or several. Throws Error with the remedy where the device, or every
/// device, is unusable.
const GpuInfo& choose_gpu(std::span<const GpuInfo> gpus, std::string_view wanted);

}  // namespace mote::present
