#include "present/surface_format.h"

#include <cstdint>
#include <vector>

namespace mote::present {

std::optional<VkSurfaceFormatKHR> choose_surface_format(VkPhysicalDevice gpu,
                                                        VkSurfaceKHR surface) {
  std::uint32_t count = 0;
  if (vkGetPhysicalDeviceSurfaceFormatsKHR(gpu, surface, &count, nullptr) != VK_SUCCESS) {
    return std::nullopt;
  }
  std::vector<VkSurfaceFormatKHR> formats(count);
  if (vkGetPhysicalDeviceSurfaceFormatsKHR(gpu, surface, &count, formats.data()) != VK_SUCCESS) {
    return std::nullopt;
  }
  for (const VkFormat wanted : {VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM}) {
    for (const VkSurfaceFormatKHR& format : formats) {
      if (format.format == wanted && format.colorSpace == VK_COLOR_SPACE_SRGB_NONLINEAR_KHR) {
        return format;
      }
    }
  }
  return std::nullopt;
}

}  // namespace mote::present
