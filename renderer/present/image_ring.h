#pragma once

#include <array>
#include <cstdint>

#include "present/memory.h"
#include "present/texels.h"

namespace mote::present {

/// The CPU records one frame while the device draws the previous one. More frames would only add
/// latency.
inline constexpr int kFramesInFlight = 2;

/// Texels in a buffer that another API writes, in contiguous rows.
struct SharedTexels {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceSize first_byte = 0;
  int width = 0, height = 0;
};

/// Images that the CPU sends to the device. The next one is written while the frames in flight
/// still read the earlier ones. If the device shares the machine's memory, it samples the CPU's
/// texels directly. Otherwise they are copied from mapped staging memory when the next frame is
/// drawn. Not thread safe.
class ImageRing {
 public:
  /// color8 has the channel order of `target`, so that it can be copied there.
  ImageRing(const Device& device, VkFormat target, const char* name)
      : device_(device), target_(target), name_(name) {}

  /// Returns the destination of the next image, to be filled before the next frame is drawn.
  /// `finished`: number of the last frame that the device has completed. Sides 1 to kMaxImageSide.
  /// Throws Error where there is no memory.
  TexelRows put(int width, int height, TexelFormat format, std::uint64_t finished);

  /// A color8 image whose texels another API writes into `texels`; the next frame copies them.
  /// Otherwise as put().
  void take(const SharedTexels& texels, std::uint64_t finished);

  /// Shows nothing until the next put() or take().
  void clear() { current_ = kNone; }

  /// Whether color8 is BGRA.
  bool blue_first() const { return target_ == VK_FORMAT_B8G8R8A8_UNORM; }

  bool has_image() const { return current_ != kNone; }
  TexelFormat format() const { return slots_[current_].format; }
  int width() const { return slots_[current_].image.width(); }
  int height() const { return slots_[current_].image.height(); }

  /// Whether record_copy() may be called: the source is memory that the CPU writes.
  bool can_copy() const { return has_image() && slots_[current_].image.data() != nullptr; }
  /// Copies the image, an uploaded color8, to a position in an image of the target's format in
  /// VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL.
  void record_copy(VkCommandBuffer commands, VkImage to, VkOffset2D place) const;

  /// The view for a shader and its layout after record_upload().
  VkDescriptorImageInfo sampled() const;

  /// Uploads the image if necessary, before `frame` samples it.
  void record_upload(VkCommandBuffer commands, std::uint64_t frame);

 private:
  // One per frame in flight, and one that is being written.
  static constexpr std::size_t kSlots = kFramesInFlight + 1;
  static constexpr std::size_t kNone = kSlots;

  struct Slot {
    TexelFormat format = TexelFormat::color8;
    DeviceImage image;
    MappedBuffer staging;   // none where the image itself is mapped, or texels are shared
    SharedTexels shared{};  // no buffer where the CPU writes them
    VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
    std::uint64_t last_frame = 0;  // the last frame that samples it
    bool is_new = false;           // no frame has sampled it yet
  };

  /// Properties that a slot's memory depends on.
  struct Layout {
    int width = 0, height = 0;
    TexelFormat format = TexelFormat::color8;
    bool mapped = false, staged = false;
  };

  std::size_t free_slot(std::uint64_t finished) const;
  Slot& next_slot(const Layout& layout, std::uint64_t finished);
  void allocate(Slot& slot, const Layout& layout) const;
  void record_buffer_copy(VkCommandBuffer commands, const Slot& slot) const;
  enum class Owner { queue, other };
  void record_ownership(VkCommandBuffer commands, const Slot& slot, Owner from, Owner to) const;

  const Device& device_;
  VkFormat target_;
  const char* name_;
  std::array<Slot, kSlots> slots_;
  std::size_t current_ = kNone;
};

}  // namespace mote::present
