#pragma once

// The movement of a parameter under Adam over steps of zero gradient: the sums that adam_catch_up()
// takes. Kernel files do not include this; they get sums() as a pointer.

#include <cstdint>
#include <span>
#include <vector>

#include "core/byte_stream.h"
#include "math/adam.h"

namespace mote {

/// add_step() changes only the sums of this many last steps. Steps that come later after an update
/// move a parameter by less than r^160 = 5e-8 of the earlier movement.
inline constexpr std::size_t kDriftReach = 160;

/// The drift of one group of parameters, which share a learning rate.
class AdamDrift {
 public:
  /// Adds step number steps() + 1. Call it after the update of all parameters with a gradient.
  void add_step(double learning_rate);
  /// Allocates the memory that add_step() needs next. Throws std::bad_alloc.
  void reserve_step();

  std::uint64_t steps() const { return sums_.size() - 1; }
  /// [steps() + 1]: entry s is the sum of c(i) r^(i - s) over the steps i in (s, steps()], for
  /// parameters last updated at step s (0: never).
  std::span<const float> sums() const { return sums_; }

  void save(ByteSink& sink) const;
  /// Throws Error if the source ends early or does not hold a drift.
  void restore(ByteSource& source);

 private:
  std::vector<float> sums_{0.0f};
};

}  // namespace mote
