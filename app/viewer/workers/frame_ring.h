#pragma once

#include <array>
#include <atomic>
#include <cstddef>

namespace mote {

/// Passes finished values from one writer to one reader; neither waits for the other. It has three
/// slots: one is written, one is read, and one holds the newest finished value. A new value
/// overwrites a finished one that the reader has not fetched.
template <class Value>
class FrameRing {
 public:
  static constexpr std::size_t kPlaces = 3;

  /// The writer's slot. It still holds the memory of an earlier value.
  Value& back() { return places_[back_]; }
  /// Index of the writer's slot, 0 to 2.
  std::size_t back_place() const { return back_; }
  /// Makes the writer's slot the newest value.
  void publish() { back_ = middle_.exchange(back_ | kFresh, std::memory_order_acq_rel) & kPlace; }

  /// The newest finished value, unchanged until the next call; null before the first value.
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
  unsigned back_ = 0, front_ = 2;  // the writer's and the reader's slot
  bool any_ = false;
};

}  // namespace mote
