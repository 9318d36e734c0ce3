#pragma once

// Buffers and images with their memory. Each has its own allocation: there are a few dozen, and
// drivers guarantee 4096.

#include <vulkan/vulkan.h>

#include <cstddef>
#include <span>

#include "present/device.h"
#include "present/handle.h"

namespace mote::present {

/// CPU-visible memory, mapped during its lifetime.
class MappedBuffer {
 public:
  MappedBuffer() = default;
  /// Throws Error where there is not enough memory.
  MappedBuffer(const Device& device, std::size_t bytes, VkBufferUsageFlags usage, const char* name);

  VkBuffer get() const { return buffer_.get(); }
  std::size_t bytes() const { return bytes_; }
  /// Writes are visible to work that is submitted afterwards.
  std::byte* data() const { return mapped_; }

 private:
  Memory memory_;
  BufferHandle buffer_;
  std::size_t bytes_ = 0;
  std::byte* mapped_ = nullptr;
};

struct ImageSpec {
  int width = 0, height = 0;  // px
  VkFormat format = VK_FORMAT_UNDEFINED;
  VkImageUsageFlags usage = 0;
  /// Linear rows that the CPU writes; only if the device shares its memory.
  bool mapped = false;
  const char* name = "";
};

/// A two-dimensional image with its view.
class DeviceImage {
 public:
  DeviceImage() = default;
  /// Throws Error where there is not enough memory or the device does not support such images.
  DeviceImage(const Device& device, const ImageSpec& spec);

  VkImage get() const { return image_.get(); }
  VkImageView view() const { return view_.get(); }
  int width() const { return width_; }
  int height() const { return height_; }
  VkFormat format() const { return format_; }
  /// For a mapped image: its first row, and the stride in bytes.
  std::byte* data() const { return mapped_; }
  std::size_t row_bytes() const { return row_bytes_; }

 private:
  Memory memory_;
  ImageHandle image_;
  ImageView view_;
  int width_ = 0, height_ = 0;
  VkFormat format_ = VK_FORMAT_UNDEFINED;
  std::byte* mapped_ = nullptr;
  std::size_t row_bytes_ = 0;
};

ImageView make_image_view(const Device& device, VkImage image, VkFormat format);

/// Whether the device can sample, and copy from, linear images of this format that the CPU writes.
bool can_map_images(const Device& device, VkFormat format);

/// One side of a layout transition, with the accesses to wait for.
struct ImageUse {
  VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
  VkPipelineStageFlags2 stage = VK_PIPELINE_STAGE_2_NONE;
  VkAccessFlags2 access = VK_ACCESS_2_NONE;
};

void record_transition(VkCommandBuffer commands, VkImage image, const ImageUse& before,
                       const ImageUse& after);

}  // namespace mote::present
