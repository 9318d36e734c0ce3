#pragma once

#include <array>
#include <atomic>
#include <cstddef>

namespace mote {

/// Hands finished values from one writer to one reader without either waiting for the other: three
/// places, one being written, one being read, and the newest finished one between them. What the
/// reader has not fetched when the next one is finished is overwritten.
template <class Value>
class FrameRing {
 public:
  static constexpr std::size_t kPlaces = 3;

  /// The writer's place, whose memory is that of an earlier value.
  Value& back() { return places_[back_]; }
  /// Its number, 0 to 2.
  std::size_t back_place() const { return back_; }
  /// The writer's place becomes the newest.
  void publish() { back_ = middle_.exchange(back_ | kFresh, std::memory_order_acq_rel) & kPlace; }

  /// The newest finished value, which stays as it is until the next call; null before the first.
  const Value* newest() {
    if ((middle_.load(std::memory_order_relaxed) & kFresh) != 0) {
      front_ = middle_.exchange(front_, std::memory_order_acq_rel) & kPlace;
      any_ = true;
    }
    return any_ ? &places_[front_] : nullptr;
  }

 private:
  static constexpr unsigned kPlace = 3, kFresh = 4;

  std::array<Value, kPlaces> places_;
  std::atomic<unsigned> middle_{1};
  unsigned back_ = 0, front_ = 2;  // the writer's, the reader's
  bool any_ = false;
};

}  // namespace mote
