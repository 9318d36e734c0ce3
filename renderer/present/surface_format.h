#pragma once

#include <vulkan/vulkan.h>

#include <optional>

namespace mote::present {

/// The format of a surface: 8 bits per channel without conversion, since the display pass writes
/// sRGB values itself. Empty where the surface has no such format or cannot be queried.
std::optional<VkSurfaceFormatKHR> choose_surface_format(VkPhysicalDevice gpu, VkSurfaceKHR surface);

}  // namespace mote::present
