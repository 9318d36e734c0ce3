#include "present/image_ring.h"

#include "core/error.h"
#include "core/image.h"
#include "present/handle.h"

namespace mote::present {
namespace {

VkFormat vulkan_format(TexelFormat format, VkFormat target) {
  switch (format) {
    case TexelFormat::color8:
      return target;
    case TexelFormat::color16:
      return VK_FORMAT_R16G16B16A16_SFLOAT;
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
  // More frames are in flight than there are slots.
  CHECK(false);
  return 0;
}

void ImageRing::allocate(Slot& slot, const Layout& layout) const {
  slot.image = {};  // freed before the new one is allocated
  slot.staging = {};
  slot.image = DeviceImage(
      device_, {.width = layout.width,
                .height = layout.height,
                .format = vulkan_format(layout.format, target_),
                .usage = VK_IMAGE_USAGE_SAMPLED_BIT |
                         static_cast<unsigned>(layout.mapped ? VK_IMAGE_USAGE_TRANSFER_SRC_BIT
                                                             : VK_IMAGE_USAGE_TRANSFER_DST_BIT),
                .mapped = layout.mapped,
                .name = name_});
  slot.layout = layout.mapped ? VK_IMAGE_LAYOUT_PREINITIALIZED : VK_IMAGE_LAYOUT_UNDEFINED;
  if (layout.staged) {
    const std::size_t bytes = texel_bytes(layout.format) * static_cast<std::size_t>(layout.width) *
                              static_cast<std::size_t>(layout.height);
    slot.staging = MappedBuffer(device_, bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, name_);
  }
  slot.format = layout.format;
}

ImageRing::Slot& ImageRing::next_slot(const Layout& layout, std::uint64_t finished) {
  CHECK(layout.width > 0 && layout.height > 0 && layout.width <= kMaxImageSide &&
        layout.height <= kMaxImageSide);
  const std::size_t place = free_slot(finished);
  Slot& slot = slots_[place];
  const bool fits = slot.image.get() != VK_NULL_HANDLE && slot.image.width() == layout.width &&
                    slot.image.height() == layout.height && slot.format == layout.format &&
                    (slot.image.data() != nullptr) == layout.mapped &&
                    (slot.staging.data() != nullptr) == layout.staged;
  if (!fits) {
    if (current_ == place) current_ = kNone;  // in case the allocation fails
    allocate(slot, layout);
  }
  slot.shared = {};
  slot.is_new = true;
  current_ = place;
  return slot;
}

TexelRows ImageRing::put(int width, int height, TexelFormat format, std::uint64_t finished) {
  const bool mapped = can_map_images(device_, vulkan_format(format, target_));
  const Slot& slot = next_slot({width, height, format, mapped, !mapped}, finished);
  if (mapped) return {slot.image.data(), slot.image.row_bytes(), blue_first()};
  return {slot.staging.data(), texel_bytes(format) * static_cast<std::size_t>(width), blue_first()};
}

void ImageRing::take(const SharedTexels& texels, std::uint64_t finished) {
  next_slot({texels.width, texels.height, TexelFormat::color8, false, false}, finished).shared =
      texels;
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
    // In layout GENERAL the CPU may write at any time; submission makes the writes visible.
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
  record_buffer_copy(commands, slot);
  slot.layout = kSampled.layout;
}

void ImageRing::record_buffer_copy(VkCommandBuffer commands, const Slot& slot) const {
  const bool is_shared = slot.shared.buffer != VK_NULL_HANDLE;
  if (is_shared) record_ownership(commands, slot, Owner::other, Owner::queue);
  // The old content is discarded, and no frame samples it any more.
  record_transition(commands, slot.image.get(), {}, kCopiedTo);
  VkBufferImageCopy whole{};
  whole.bufferOffset = slot.shared.first_byte;
  whole.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  whole.imageExtent = {static_cast<std::uint32_t>(slot.image.width()),
                       static_cast<std::uint32_t>(slot.image.height()), 1};
  vkCmdCopyBufferToImage(commands, is_shared ? slot.shared.buffer : slot.staging.get(),
                         slot.image.get(), kCopiedTo.layout, 1, &whole);
  record_transition(commands, slot.image.get(), kCopiedTo, kSampled);
  if (is_shared) record_ownership(commands, slot, Owner::queue, Owner::other);
}

void ImageRing::record_ownership(VkCommandBuffer commands, const Slot& slot, Owner from,
                                 Owner to) const {
  const auto family = [&](Owner owner) {
    return owner == Owner::queue ? device_.gpu().queue_family : VK_QUEUE_FAMILY_EXTERNAL;
  };
  auto barrier = structure<VkBufferMemoryBarrier2>(VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2);
  barrier.srcQueueFamilyIndex = family(from);
  barrier.dstQueueFamilyIndex = family(to);
  // Each side of an ownership transfer specifies only its own stages.
  if (from == Owner::queue) {
    barrier.srcStageMask = VK_PIPELINE_STAGE_2_COPY_BIT;
    barrier.srcAccessMask = VK_ACCESS_2_TRANSFER_READ_BIT;
  } else {
    // After the wait for the other side's semaphore, which is at this stage.
    barrier.srcStageMask = VK_PIPELINE_STAGE_2_COPY_BIT;
    barrier.dstStageMask = VK_PIPELINE_STAGE_2_COPY_BIT;
    barrier.dstAccessMask = VK_ACCESS_2_TRANSFER_READ_BIT;
  }
  // For this place only: the other side may be writing to the others.
  barrier.buffer = slot.shared.buffer;
  barrier.offset = slot.shared.first_byte;
  barrier.size = sizeof(std::uint32_t) * static_cast<VkDeviceSize>(slot.image.width()) *
                 static_cast<VkDeviceSize>(slot.image.height());
  auto info = structure<VkDependencyInfo>(VK_STRUCTURE_TYPE_DEPENDENCY_INFO);
  info.bufferMemoryBarrierCount = 1;
  info.pBufferMemoryBarriers = &barrier;
  vkCmdPipelineBarrier2(commands, &info);
}

}  // namespace mote::present
