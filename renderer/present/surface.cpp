#include "present/surface.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace mote::present {

Surface::Surface(VkInstance instance, WindowSystem window)
    : instance_(instance), window_(std::move(window)), surface_(window_.make_surface(instance)) {}

Surface::~Surface() {
  vkDestroySurfaceKHR(instance_, surface_, nullptr);
}

void Surface::make_anew() {
  vkDestroySurfaceKHR(instance_, surface_, nullptr);
  surface_ = VK_NULL_HANDLE;
  surface_ = window_.make_surface(instance_);
}

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
