#pragma once

// What is drawn on: the images of a window or one that only the program sees. Drawing is the same
// for both.

#include <vulkan/vulkan.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "present/device.h"
#include "present/handle.h"

namespace mote::present {

/// The image to draw the next frame on.
struct TargetImage {
  std::uint32_t index = 0;
  VkImage image = VK_NULL_HANDLE;  // to copy to; null: it takes no copies
  VkFramebuffer framebuffer = VK_NULL_HANDLE;
  VkSemaphore ready = VK_NULL_HANDLE;  // to wait for before drawing; null: nothing to wait for
  VkSemaphore drawn = VK_NULL_HANDLE;  // to signal afterwards; null: nobody waits
};

/// Passes with one colour attachment.
struct RenderPasses {
  RenderPass clears;
  RenderPass goes_on;  // the image is in VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL
};

/// When a drawn image reaches the screen.
enum class Pacing {
  vsync,   // each in its turn: drawing is held back to the screen's rate
  newest,  // the last one drawn, where the window system can; else as vsync
};

/// Not thread safe.
class Target {
 public:
  virtual ~Target() = default;

  virtual VkFormat format() const = 0;
  /// What is drawn in: `clears` begins with a colour, `goes_on` with what a copy left in the image.
  /// All of them are compatible with those of every target of the same format.
  const RenderPasses& passes() const { return passes_; }
  virtual VkExtent2D extent() const = 0;
  virtual std::uint32_t image_count() const = 0;

  /// A size in framebuffer pixels; zero of either while nothing is to be seen. Takes effect with
  /// the next acquire().
  virtual void resize(int width, int height) = 0;
  /// Takes effect with the next acquire(). Without a screen there is nothing to pace.
  virtual void set_pacing(Pacing) {}
  /// The next image, or none where nothing can be shown now. Throws DeviceLost, SurfaceLost, Error.
  virtual std::optional<TargetImage> acquire() = 0;
  /// Hands the drawn image over. Throws DeviceLost, SurfaceLost, Error.
  virtual void present(const TargetImage& image) = 0;

 protected:
  explicit Target(RenderPasses passes) : passes_(std::move(passes)) {}

 private:
  RenderPasses passes_;
};

/// They leave the image in `final_layout`.
RenderPasses make_render_passes(const Device& device, VkFormat format, VkImageLayout final_layout);

Framebuffer make_framebuffer(const Device& device, VkRenderPass render_pass, VkImageView view,
                             VkExtent2D extent);

Semaphore make_semaphore(const Device& device);

}  // namespace mote::present
