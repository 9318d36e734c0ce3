#pragma once

#include <cstdint>
#include <memory>

#include "cuda/runtime/runtime.h"
#include "scene/dataset.h"

namespace mote::cuda {

/// The current and the next photograph on the device. While a step reads one, the other is copied
/// from pinned memory in a separate stream.
class PhotoFeed {
 public:
  struct Photo {
    const std::uint8_t* color;  // [h][w][channels]
    const std::uint8_t* mask;   // [h][w], or null
    double weight;              // total_weight() of the pixels
  };

  /// `stream`: that of the work that reads photographs.
  explicit PhotoFeed(cudaStream_t stream) : stream_(stream) {}
  /// Waits for the current copy.
  ~PhotoFeed();
  PhotoFeed(const PhotoFeed&) = delete;
  PhotoFeed& operator=(const PhotoFeed&) = delete;

  /// The photograph, valid for work on the stream until the next take(). If it was staged, the
  /// stream waits for its copy; otherwise it is copied here.
  Photo take(const PhotoPixels& photo);
  /// Begins to copy the expected argument of the next take(); no effect for null. Returns during
  /// the copy, so it should be called after the stream has its work.
  void stage(const std::shared_ptr<const PhotoPixels>& next);

  /// Memory on the device.
  std::size_t memory_bytes() const;

 private:
  struct Slot {
    DeviceBuffer<std::uint8_t> color{"the photograph"}, mask{"the photograph's mask"};
    double weight = 0;
    std::weak_ptr<const PhotoPixels> staged;  // the source of the pixels, if they were staged
    Event arrived{EventUse::order};

    bool holds(const PhotoPixels& photo) const { return staged.lock().get() == &photo; }
  };

  /// Copies into the slot, in stream order.
  static void fill(Slot& slot, std::span<const std::uint8_t> color,
                   std::span<const std::uint8_t> mask, cudaStream_t stream);

  cudaStream_t stream_;
  Slot slots_[2];
  int present_ = 0;  // the slot of the last take()
  Event taken_{EventUse::order};
  PinnedBuffer<std::uint8_t> pinned_{"the next photograph"};
  Stream copies_;
};

}  // namespace mote::cuda
