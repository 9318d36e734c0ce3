#include "cuda/photo_feed.h"

#include <algorithm>

namespace mote::cuda {

PhotoFeed::~PhotoFeed() {
  // An error here is reported by the next checked call.
  static_cast<void>(cudaStreamSynchronize(copies_.get()));
}

void PhotoFeed::fill(Slot& slot, std::span<const std::uint8_t> color,
                     std::span<const std::uint8_t> mask, cudaStream_t stream) {
  slot.staged.reset();
  slot.color.resize_discard(color.size());
  slot.color.upload(color, stream);
  slot.mask.resize_discard(mask.size());
  slot.mask.upload(mask, stream);
}

PhotoFeed::Photo PhotoFeed::take(const PhotoPixels& photo) {
  taken_.record(stream_);
  const int next = 1 - present_;
  if (slots_[next].holds(photo)) present_ = next;
  Slot& slot = slots_[present_];
  if (slot.holds(photo)) {
    check(cudaStreamWaitEvent(stream_, slot.arrived.get(), 0), "waiting for the photograph");
  } else {
    // Overwrites the current slot: the other may be receiving the photograph of a later step.
    fill(slot, photo.color.pixels.span(), photo.mask.pixels.span(), stream_);
    slot.weight = total_weight(photo);
  }
  return {slot.color.data(), slot.mask.empty() ? nullptr : slot.mask.data(), slot.weight};
}

void PhotoFeed::stage(const std::shared_ptr<const PhotoPixels>& next) {
  if (next == nullptr || slots_[0].holds(*next) || slots_[1].holds(*next)) return;
  const std::span<const std::uint8_t> color = next->color.pixels.span(),
                                      mask = next->mask.pixels.span();
  copies_.synchronize();  // the pinned memory is read until then
  pinned_.resize_discard(color.size() + mask.size());
  std::ranges::copy(color, pinned_.data());
  std::ranges::copy(mask, pinned_.data() + color.size());
  Slot& slot = slots_[1 - present_];
  copies_.wait(taken_);  // earlier work may still read the slot
  fill(slot, pinned_.span().first(color.size()), pinned_.span().subspan(color.size()),
       copies_.get());
  slot.arrived.record(copies_.get());
  slot.weight = total_weight(*next);
  slot.staged = next;
}

std::size_t PhotoFeed::memory_bytes() const {
  std::size_t bytes = 0;
  for (const Slot& slot : slots_) bytes += slot.color.bytes() + slot.mask.bytes();
  return bytes;
}

}  // namespace mote::cuda
