#include "present/kept_layer.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "present/handle.h"

namespace mote::present {

KeptLayer::KeptLayer(const Device& device, VkFormat format)
    : target_(device, format, VkExtent2D{}) {}

void KeptLayer::record(VkCommandBuffer commands, const std::function<void(VkCommandBuffer)>& draw,
                       std::uint64_t version, const VkClearValue& clear, VkExtent2D extent) {
  Kept wanted{.version = version, .width = extent.width, .height = extent.height};
  std::ranges::copy(clear.color.float32, wanted.clear.begin());
  if (kept_ == wanted) return;
  kept_.reset();  // in case the allocation fails
  target_.resize(static_cast<int>(extent.width), static_cast<int>(extent.height));
  const std::optional<TargetImage> image = target_.acquire();
  CHECK(image.has_value());
  image_ = *image;
  auto info = structure<VkRenderPassBeginInfo>(VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO);
  info.renderPass = target_.passes().clears.get();
  info.framebuffer = image_.framebuffer;
  info.renderArea.extent = extent;
  info.clearValueCount = 1;
  info.pClearValues = &clear;
  vkCmdBeginRenderPass(commands, &info, VK_SUBPASS_CONTENTS_INLINE);
  if (draw) draw(commands);
  vkCmdEndRenderPass(commands);
  kept_ = wanted;
}

void KeptLayer::record_copy(VkCommandBuffer commands, VkImage to) const {
  CHECK(kept_.has_value());
  VkImageCopy whole{};
  whole.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  whole.dstSubresource = whole.srcSubresource;
  whole.extent = {kept_->width, kept_->height, 1};
  vkCmdCopyImage(commands, image_.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to,
                 VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &whole);
}

}  // namespace mote::present
