#pragma once

// The target of drawing: the images of a window, or an offscreen image. Drawing is the same for
// both.

#include <vulkan/vulkan.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "present/device.h"
#include "present/handle.h"

namespace mote::present {

/// The image for the next frame.
struct TargetImage {
  std::uint32_t index = 0;
  VkImage image = VK_NULL_HANDLE;  // destination of copies; null: it takes no copies
  VkFramebuffer framebuffer = VK_NULL_HANDLE;
  VkSemaphore ready = VK_NULL_HANDLE;  // wait for it before drawing; null: no wait
  VkSemaphore drawn = VK_NULL_HANDLE;  // signal it after drawing; null: no signal
};

/// Render passes with one colour attachment.
struct RenderPasses {
  RenderPass clears;
  RenderPass goes_on;  // the image is in VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL
};

/// The time at which a drawn image reaches the screen.
enum class Pacing {
  vsync,   // every image is shown; drawing is limited to the screen's rate
  newest,  // only the newest image is shown if supported, otherwise as vsync
};

/// Not thread safe.
class Target {
 public:
  virtual ~Target() = default;

  virtual VkFormat format() const = 0;
  /// The passes for drawing: `clears` begins with a colour, `goes_on` with the content that a copy
  /// left. They are compatible with those of every target of the same format.
  const RenderPasses& passes() const { return passes_; }
  virtual VkExtent2D extent() const = 0;
  virtual std::uint32_t image_count() const = 0;

  /// Sets the size in framebuffer pixels; one of them is 0 while nothing is visible. Takes effect
  /// with the next acquire().
  virtual void resize(int width, int height) = 0;
  /// Takes effect with the next acquire(). No effect offscreen.
  virtual void set_pacing(Pacing) {}
  /// The next image; empty where nothing can be shown now. Throws DeviceLost, SurfaceLost, Error.
  virtual std::optional<TargetImage> acquire() = 0;
  /// Presents the drawn image. Throws DeviceLost, SurfaceLost, Error.
  virtual void present(const TargetImage& image) = 0;

 protected:
  explicit Target(RenderPasses passes) : passes_(std::move(passes)) {}

 private:
  RenderPasses passes_;
};

/// The passes leave the image in `final_layout`.
RenderPasses make_render_passes(const Device& device, VkFormat format, VkImageLayout final_layout);

Framebuffer make_framebuffer(const Device& device, VkRenderPass render_pass, VkImageView view,
                             VkExtent2D extent);

Semaphore make_semaphore(const Device& device);

}  // namespace mote::present
