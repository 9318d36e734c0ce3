#pragma once

#include <vulkan/vulkan.h>

#include <optional>

namespace mote::present {

/// What a surface is shown as: 8 bits a channel without conversion, since the display pass writes
/// sRGB values itself. None where the surface has no such format or cannot be asked.
std::optional<VkSurfaceFormatKHR> choose_surface_format(VkPhysicalDevice gpu, VkSurfaceKHR surface);

}  // namespace mote::present
