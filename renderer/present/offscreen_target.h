#pragma once

#include "core/image.h"
#include "present/memory.h"
#include "present/target.h"

namespace mote::present {

/// One image without a window, which can be read back.
class OffscreenTarget : public Target {
 public:
  /// `format` is VK_FORMAT_R8G8B8A8_UNORM or VK_FORMAT_B8G8R8A8_UNORM.
  OffscreenTarget(const Device& device, VkFormat format, VkExtent2D size);
  ~OffscreenTarget() override;

  VkFormat format() const override { return format_; }
  VkExtent2D extent() const override { return extent_; }
  std::uint32_t image_count() const override { return 1; }
  void resize(int width, int height) override;
  std::optional<TargetImage> acquire() override;
  void present(const TargetImage&) override {}

  /// Returns the last drawn image, [h][w][3]. Waits for it. At least one frame must have been drawn
  /// since the last change of size. Throws DeviceLost, Error.
  Image8 read() const;

 private:
  void make_image();

  const Device& device_;
  VkFormat format_;
  VkExtent2D wanted_;
  VkExtent2D extent_{};
  DeviceImage image_;
  Framebuffer framebuffer_;
};

}  // namespace mote::present
