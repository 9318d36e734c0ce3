#pragma once

#include <cstdint>
#include <memory>

#include "cuda/runtime.h"
#include "scene/dataset.h"

namespace mote::cuda {

/// Photographs on the device, the present one and the next: while a step reads the one, the other
/// is copied to the device, from pinned memory and in a stream of its own.
class PhotoFeed {
 public:
  struct Photo {
    const std::uint8_t* color;  // [h][w][channels]
    const std::uint8_t* mask;   // [h][w], or null
    double weight;              // total_weight() of the pixels
  };

  /// `stream`: of the work that reads photographs.
  explicit PhotoFeed(cudaStream_t stream) : stream_(stream) {}
  /// Waits for the copy that is under way.
  ~PhotoFeed();
  PhotoFeed(const PhotoFeed&) = delete;
  PhotoFeed& operator=(const PhotoFeed&) = delete;

  /// The photograph, for what the stream is given until the next take(). Where it was staged the
  /// stream waits for its copy; otherwise it is copied here.
  Photo take(const PhotoPixels& photo);
  /// Begins to copy what take() will probably be asked for next; null is nothing. Returns with the
  /// copy under way, so that it is for the time after the stream was given its work.
  void stage(const std::shared_ptr<const PhotoPixels>& next);

  /// On the device.
  std::size_t memory_bytes() const;

 private:
  struct Slot {
    DeviceBuffer<std::uint8_t> color{"the photograph"}, mask{"the photograph's mask"};
    double weight = 0;
    std::weak_ptr<const PhotoPixels> staged;  // whose pixels these are, if they were staged
    Event arrived{EventUse::order};

    bool holds(const PhotoPixels& photo) const { return staged.lock().get() == &photo; }
  };

  /// Copies into the slot, in this stream's order.
  static void fill(Slot& slot, std::span<const std::uint8_t> color,
                   std::span<const std::uint8_t> mask, cudaStream_t stream);

  cudaStream_t stream_;
  Slot slots_[2];
  int present_ = 0;  // the slot that was last taken
  Event taken_{EventUse::order};
  PinnedBuffer<std::uint8_t> pinned_{"the next photograph"};
  Stream copies_;
};

}  // namespace mote::cuda
