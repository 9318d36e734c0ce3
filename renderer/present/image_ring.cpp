#include "present/image_ring.h"

#include "core/error.h"
#include "core/image_limits.h"

namespace mote::present {
namespace {

VkFormat vulkan_format(TexelFormat format, VkFormat target) {
  switch (format) {
    case TexelFormat::color8:
      return target;
    case TexelFormat::color16:
      return VK_FORMAT_R16G16B16A16_SFLOAT;
    case TexelFormat::scalar32:
      return VK_FORMAT_R32_SFLOAT;
  }
  return VK_FORMAT_UNDEFINED;
}

constexpr ImageUse kSampled{VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                            VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT,
                            VK_ACCESS_2_SHADER_SAMPLED_READ_BIT};
constexpr ImageUse kCopiedTo{VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_PIPELINE_STAGE_2_COPY_BIT,
                             VK_ACCESS_2_TRANSFER_WRITE_BIT};

}  // namespace

std::size_t ImageRing::free_slot(std::uint64_t finished) const {
  if (current_ != kNone && slots_[current_].is_new) return current_;
  for (std::size_t i = 0; i < kSlots; ++i) {
    if (i != current_ && slots_[i].last_frame <= finished) return i;
  }
  // More frames are in flight than there are slots for.
  CHECK(false);
  return 0;
}

void ImageRing::allocate(Slot& slot, int width, int height, TexelFormat format) const {
  const VkFormat texels = vulkan_format(format, target_);
  const bool mapped = can_map_images(device_, texels);
  slot.image = {};  // before the new one asks for memory
  slot.staging = {};
  slot.image = DeviceImage(
      device_, {.width = width,
                .height = height,
                .format = texels,
                .usage = VK_IMAGE_USAGE_SAMPLED_BIT |
                         static_cast<unsigned>(mapped ? VK_IMAGE_USAGE_TRANSFER_SRC_BIT
                                                      : VK_IMAGE_USAGE_TRANSFER_DST_BIT),
                .mapped = mapped,
                .name = name_});
  slot.layout = mapped ? VK_IMAGE_LAYOUT_PREINITIALIZED : VK_IMAGE_LAYOUT_UNDEFINED;
  if (!mapped) {
    const std::size_t bytes =
        texel_bytes(format) * static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    slot.staging = MappedBuffer(device_, bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, name_);
  }
  slot.format = format;
}

TexelRows ImageRing::put(int width, int height, TexelFormat format, std::uint64_t finished) {
  CHECK(width > 0 && height > 0 && width <= kMaxImageSide && height <= kMaxImageSide);
  const std::size_t place = free_slot(finished);
  Slot& slot = slots_[place];
  const bool fits = slot.image.width() == width && slot.image.height() == height &&
                    slot.format == format && slot.image.get() != VK_NULL_HANDLE;
  if (!fits) {
    if (current_ == place) current_ = kNone;  // should the memory not be there
    allocate(slot, width, height, format);
  }
  slot.is_new = true;
  current_ = place;
  const bool blue_first = target_ == VK_FORMAT_B8G8R8A8_UNORM;
  if (slot.image.data() != nullptr) {
    return {slot.image.data(), slot.image.row_bytes(), blue_first};
  }
  return {slot.staging.data(), texel_bytes(format) * static_cast<std::size_t>(width), blue_first};
}

void ImageRing::record_copy(VkCommandBuffer commands, VkImage to, VkOffset2D place) const {
  const DeviceImage& image = slots_[current_].image;
  VkImageCopy whole{};
  whole.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  whole.dstSubresource = whole.srcSubresource;
  whole.dstOffset = {place.x, place.y, 0};
  whole.extent = {static_cast<std::uint32_t>(image.width()),
                  static_cast<std::uint32_t>(image.height()), 1};
  vkCmdCopyImage(commands, image.get(), VK_IMAGE_LAYOUT_GENERAL, to,
                 VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &whole);
}

VkDescriptorImageInfo ImageRing::sampled() const {
  const Slot& slot = slots_[current_];
  const bool mapped = slot.image.data() != nullptr;
  return {VK_NULL_HANDLE, slot.image.view(),
          mapped ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
}

void ImageRing::record_upload(VkCommandBuffer commands, std::uint64_t frame) {
  Slot& slot = slots_[current_];
  slot.last_frame = frame;
  if (!slot.is_new) return;
  slot.is_new = false;
  if (slot.image.data() != nullptr) {
    // Once it is GENERAL the CPU may write it at any time: submitting makes that visible.
    if (slot.layout == VK_IMAGE_LAYOUT_GENERAL) return;
    ImageUse in_place = kSampled;
    in_place.layout = VK_IMAGE_LAYOUT_GENERAL;
    in_place.stage |= VK_PIPELINE_STAGE_2_COPY_BIT;
    in_place.access |= VK_ACCESS_2_TRANSFER_READ_BIT;
    record_transition(commands, slot.image.get(),
                      {slot.layout, VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_WRITE_BIT},
                      in_place);
    slot.layout = VK_IMAGE_LAYOUT_GENERAL;
    return;
  }
  // What was there is not kept, and no frame samples it any more.
  record_transition(commands, slot.image.get(), {}, kCopiedTo);
  VkBufferImageCopy whole{};
  whole.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  whole.imageExtent = {static_cast<std::uint32_t>(slot.image.width()),
                       static_cast<std::uint32_t>(slot.image.height()), 1};
  vkCmdCopyBufferToImage(commands, slot.staging.get(), slot.image.get(), kCopiedTo.layout, 1,
                         &whole);
  record_transition(commands, slot.image.get(), kCopiedTo, kSampled);
  slot.layout = kSampled.layout;
}

}  // namespace mote::present
