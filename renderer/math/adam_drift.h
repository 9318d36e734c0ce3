#pragma once

// How far steps without gradient move a parameter under Adam: the sums that adam_catch_up() takes.
// Not for kernel files, which get sums() as a pointer.

#include <cstdint>
#include <span>
#include <vector>

#include "core/byte_stream.h"
#include "math/adam.h"

namespace mote {

/// add_step() changes no more than so many of the last sums: what comes later than this many steps
/// after the last update moves a parameter by less than 5e-8 of what came before, r^160.
inline constexpr std::size_t kDriftReach = 160;

/// The drift of one group of parameters, which share their learning rates.
class AdamDrift {
 public:
  /// Takes note of step number steps() + 1, once all that have a gradient at it are updated.
  void add_step(double learning_rate);
  /// Takes the memory that add_step() needs next. Throws std::bad_alloc.
  void make_room();

  std::uint64_t steps() const { return sums_.size() - 1; }
  /// [steps() + 1]: entry s is the sum of c(i) r^(i - s) over the steps i in (s, steps()], for what
  /// was last updated at step s (0: never).
  std::span<const float> sums() const { return sums_; }

  void save(ByteSink& sink) const;
  /// Throws Error where the source ends early or holds no drift.
  void restore(ByteSource& source);

 private:
  std::vector<float> sums_{0.0f};
};

}  // namespace mote
