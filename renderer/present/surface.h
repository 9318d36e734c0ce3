#pragma once

#include <vulkan/vulkan.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mote::present {

/// The functions of a window system, so that this folder does not depend on one.
struct WindowSystem {
  std::vector<std::string> instance_extensions{};
  /// Makes the window's surface; the presenter destroys it. Called again after a surface is lost.
  /// Throws Error.
  std::function<VkSurfaceKHR(VkInstance)> make_surface{};
};

/// The surface of a window.
class Surface {
 public:
  Surface(VkInstance instance, WindowSystem window);
  ~Surface();
  Surface(const Surface&) = delete;
  Surface& operator=(const Surface&) = delete;

  VkSurfaceKHR get() const { return surface_; }
  /// Replaces a lost surface; its swapchain must be destroyed.
  void make_anew();

 private:
  VkInstance instance_;
  WindowSystem window_;
  VkSurfaceKHR surface_ = VK_NULL_HANDLE;
};

/// The format of a surface: 8 bits per channel without conversion, since the display pass writes
/// sRGB values itself. Empty where the surface has no such format or cannot be queried.
std::optional<VkSurfaceFormatKHR> choose_surface_format(VkPhysicalDevice gpu, VkSurfaceKHR surface);

}  // namespace mote::present
