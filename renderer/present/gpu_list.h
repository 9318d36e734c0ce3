#pragma once

// Which devices the Vulkan drivers of this machine offer, and which of them Mote can present on.

#include <vulkan/vulkan.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mote::present {

/// One device as its driver describes it.
struct GpuInfo {
  int index = 0;  // for --gpu
  std::string name;
  VkPhysicalDeviceType type = VK_PHYSICAL_DEVICE_TYPE_OTHER;
  std::string driver;             // "llvmpipe, Mesa 22.3.6"
  std::uint32_t api_version = 0;  // as Vulkan packs it
  /// The same in every API of the driver, CUDA among them.
  std::array<std::uint8_t, VK_UUID_SIZE> uuid{};
  std::uint64_t memory_bytes = 0;  // of its own, or the part of the machine's that it may use
  std::string problem;             // why it cannot be used; empty where it can

  VkPhysicalDevice handle = VK_NULL_HANDLE;
  std::uint32_t queue_family = 0;  // one that draws, and presents where there is a surface
};

/// "discrete", "integrated", "virtual", "CPU", "other".
std::string_view type_name(VkPhysicalDeviceType type);

/// What a device has of what presenting needs.
struct GpuAbilities {
  std::uint32_t api_version = 0;
  bool timeline_semaphores = false;
  bool synchronization2 = false;
  bool draws = false;                // a queue for graphics
  bool needs_window = false;         // the rest is asked for only then
  bool shows_on_surface = false;     // such a queue presents on the surface
  bool has_swapchains = false;       // extension VK_KHR_swapchain
  bool has_surface_formats = false;  // one of 8 bits a channel
};

/// Why a device cannot be used, as a phrase; empty where it can.
std::string problem_of(const GpuAbilities& abilities);

/// All devices, usable or not, in the drivers' order. `surface` is what they are to present on;
/// null without a window. Throws Error where the drivers cannot be asked.
std::vector<GpuInfo> list_gpus(VkInstance instance, VkSurfaceKHR surface);

/// `wanted` is "auto", an index, or a part of a name in either case. "auto" takes the first usable
/// of the best type: discrete, integrated, virtual, CPU. Throws UsageError where `wanted` names no
/// device or several, and Error with the remedy where it, or every device, cannot be used.
const GpuInfo& choose_gpu(std::span<const GpuInfo> gpus, std::string_view wanted);

}  // namespace mote::present
