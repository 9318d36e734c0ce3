#pragma once

// Chooses the next thread: the lowest of those that became ready last, or a random one.

#include <array>
#include <cstdint>

namespace cuda_host {

inline constexpr unsigned kMaxThreads = 1024;  // per block
inline constexpr unsigned kWarp = 32;

/// Small and fast generator (xorshift64*), since every switch uses it.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u | 1u) {}

  /// A number from 0 to count - 1.
  unsigned below(unsigned count) {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    const std::uint64_t bits = state_ * 0x2545f4914f6cdd1du;
    return static_cast<unsigned>((bits >> 32) * count >> 32);
  }

 private:
  std::uint64_t state_;
};

/// The threads of a block that can continue.
class ReadyThreads {
 public:
  void clear() { count_ = 0; }
  bool empty() const { return count_ == 0; }
  void add(unsigned thread) { threads_[count_++] = static_cast<std::uint16_t>(thread); }

  /// Removes the thread added last. There must be one.
  unsigned take_last() { return threads_[--count_]; }
  unsigned take_drawn(Draw& draw) {
    const unsigned at = draw.below(count_);
    const unsigned thread = threads_[at];
    threads_[at] = threads_[--count_];
    return thread;
  }

 private:
  std::array<std::uint16_t, kMaxThreads> threads_;
  unsigned count_ = 0;
};

}  // namespace cuda_host
