#include "present/offscreen_target.h"

#include <algorithm>

#include "core/error.h"
#include "present/handle.h"
#include "present/one_shot.h"

namespace mote::present {
namespace {

constexpr std::size_t kTexelBytes = 4;

/// RGBA or BGRA texels as RGB.
Image8 as_rgb(const MappedBuffer& texels, VkExtent2D extent, bool is_bgra) {
  Image8 image;
  image.resize_discard(static_cast<int>(extent.width), static_cast<int>(extent.height), 3);
  const auto* from = reinterpret_cast<const std::uint8_t*>(texels.data());
  std::uint8_t* to = image.pixels.data();
  const std::size_t red = is_bgra ? 2 : 0;
  for (std::size_t i = 0; i < image.pixels.size(); i += 3, from += kTexelBytes) {
    to[i] = from[red];
    to[i + 1] = from[1];
    to[i + 2] = from[2 - red];
  }
  return image;
}

}  // namespace

OffscreenTarget::OffscreenTarget(const Device& device, VkFormat format, VkExtent2D size)
    : Target(make_render_passes(device, format, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL)),
      device_(device),
      format_(format),
      wanted_(size) {}

OffscreenTarget::~OffscreenTarget() {
  vkDeviceWaitIdle(device_.handle());  // result ignored: a lost device has nothing to wait for
}

void OffscreenTarget::resize(int width, int height) {
  wanted_ = {static_cast<std::uint32_t>(std::max(width, 0)),
             static_cast<std::uint32_t>(std::max(height, 0))};
}

std::optional<TargetImage> OffscreenTarget::acquire() {
  if (wanted_.width == 0 || wanted_.height == 0) return std::nullopt;
  if (wanted_.width != extent_.width || wanted_.height != extent_.height) make_image();
  TargetImage image;
  image.image = image_.get();
  image.framebuffer = framebuffer_.get();
  return image;
}

void OffscreenTarget::make_image() {
  device_.wait_idle();
  framebuffer_ = {};
  image_ = DeviceImage(
      device_, {.width = static_cast<int>(wanted_.width),
                .height = static_cast<int>(wanted_.height),
                .format = format_,
                .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                         VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                .name = "offscreen"});
  framebuffer_ = make_framebuffer(device_, passes().clears.get(), image_.view(), wanted_);
  extent_ = wanted_;
}

Image8 OffscreenTarget::read() const {
  CHECK(framebuffer_);
  const MappedBuffer texels(device_, kTexelBytes * extent_.width * extent_.height,
                            VK_BUFFER_USAGE_TRANSFER_DST_BIT, "read back");
  run_once(device_, [&](VkCommandBuffer commands) {
    VkBufferImageCopy whole{};
    whole.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    whole.imageExtent = {extent_.width, extent_.height, 1};
    vkCmdCopyImageToBuffer(commands, image_.get(), VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                           texels.get(), 1, &whole);
    auto seen_by_cpu = structure<VkMemoryBarrier2>(VK_STRUCTURE_TYPE_MEMORY_BARRIER_2);
    seen_by_cpu.srcStageMask = VK_PIPELINE_STAGE_2_COPY_BIT;
    seen_by_cpu.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
    seen_by_cpu.dstStageMask = VK_PIPELINE_STAGE_2_HOST_BIT;
    seen_by_cpu.dstAccessMask = VK_ACCESS_2_HOST_READ_BIT;
    auto dependency = structure<VkDependencyInfo>(VK_STRUCTURE_TYPE_DEPENDENCY_INFO);
    dependency.memoryBarrierCount = 1;
    dependency.pMemoryBarriers = &seen_by_cpu;
    vkCmdPipelineBarrier2(commands, &dependency);
  });
  return as_rgb(texels, extent_, format_ == VK_FORMAT_B8G8R8A8_UNORM);
}

}  // namespace mote::present
