#pragma once

#include "present/surface.h"
#include "present/target.h"

namespace mote::present {

/// The images of a window. They are made again when the window changes its size and when the window
/// system reports them out of date. A window without area has none.
class Swapchain : public Target {
 public:
  /// The device must be able to present on `surface`, which outlives this. Throws SurfaceLost,
  /// Error.
  Swapchain(const Device& device, Surface& surface, Pacing pacing, VkExtent2D size)
      : Swapchain(device, surface, pacing, size, format_for(device, surface)) {}
  ~Swapchain() override;

  VkFormat format() const override { return format_.format; }
  VkExtent2D extent() const override { return extent_; }
  std::uint32_t image_count() const override { return static_cast<std::uint32_t>(images_.size()); }
  void resize(int width, int height) override;
  void set_pacing(Pacing pacing) override;
  std::optional<TargetImage> acquire() override;
  void present(const TargetImage& image) override;

 private:
  struct Shown {
    VkImage image;
    ImageView view;
    Framebuffer framebuffer;
    Semaphore drawn;
  };

  Swapchain(const Device& device, Surface& surface, Pacing pacing, VkExtent2D size,
            VkSurfaceFormatKHR format);
  static VkSurfaceFormatKHR format_for(const Device& device, const Surface& surface);
  bool make_images();
  SwapchainHandle make_swapchain(const VkSurfaceCapabilitiesKHR& able, VkExtent2D extent) const;
  VkPresentModeKHR choose_mode() const;
  void take_images();
  void replace_surface();

  const Device& device_;
  Surface& surface_;
  Pacing pacing_;
  VkSurfaceFormatKHR format_;
  VkExtent2D wanted_;
  SwapchainHandle swapchain_;
  VkExtent2D extent_{};
  std::vector<Shown> images_;
  std::vector<Semaphore> ready_;  // one per frame in flight, in rotation
  std::size_t next_ready_ = 0;
  bool stale_ = true;
  bool takes_copies_ = false;
};

}  // namespace mote::present
