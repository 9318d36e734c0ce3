#pragma once

#include <array>
#include <cstdint>

#include "present/frames_in_flight.h"
#include "present/memory.h"
#include "present/texels.h"

namespace mote::present {

/// Images on their way from the CPU to the device: while those of the frames in flight are still
/// read, the next is written. Where the device shares the machine's memory it samples what the CPU
/// wrote; elsewhere the texels are copied from mapped staging memory when the next frame is drawn.
/// Not thread safe.
class ImageRing {
 public:
  ImageRing(const Device& device, const char* name) : device_(device), name_(name) {}

  /// Where the next image goes, to be filled before the next frame is drawn.
  struct Place {
    std::byte* rows;
    std::size_t row_bytes;
  };
  /// `finished`: the number of the last frame that the device has drawn. Sides of 1 to
  /// kMaxImageSide. Throws Error where there is no memory.
  Place put(int width, int height, TexelFormat format, std::uint64_t finished);

  /// Nothing is shown until the next put().
  void clear() { current_ = kNone; }

  bool has_image() const { return current_ != kNone; }
  TexelFormat format() const { return slots_[current_].format; }
  int width() const { return slots_[current_].image.width(); }
  int height() const { return slots_[current_].image.height(); }

  /// What a shader samples: the view and the layout that it has once record_upload() was done.
  VkDescriptorImageInfo sampled() const;

  /// Brings the image to the device where it is not there yet, before `frame` samples it.
  void record_upload(VkCommandBuffer commands, std::uint64_t frame);

 private:
  // Those of the frames in flight, and the one that is written.
  static constexpr std::size_t kSlots = kFramesInFlight + 1;
  static constexpr std::size_t kNone = kSlots;

  struct Slot {
    TexelFormat format = TexelFormat::color8;
    DeviceImage image;
    MappedBuffer staging;  // none where the image itself is mapped
    VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
    std::uint64_t last_frame = 0;  // that samples it
    bool is_new = false;           // no frame has sampled it yet
  };

  std::size_t free_slot(std::uint64_t finished) const;
  void allocate(Slot& slot, int width, int height, TexelFormat format) const;

  const Device& device_;
  const char* name_;
  std::array<Slot, kSlots> slots_;
  std::size_t current_ = kNone;
};

}  // namespace mote::present
