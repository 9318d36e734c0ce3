#pragma once

// How the state of a field's optimiser is stored in 8 bytes for each parameter, beside its value
// and the half that encodings read:
//   2: the first moment, as the upper half of a float, rounded to the nearest;
//   4: the second moment, a float of 11 fractional bits, and in the lower 12 bits the number of
//      updates;
//   2: the average of the values, as its distance from the value in a half.
// With beta2 = 0.99, a moment that decays changes by 20 units of its last place in an update.

#include <cstdint>
#include <vector>

#include "lanes/scalar.h"

namespace mote {

inline constexpr std::uint32_t kUpdateBits = 12, kUpdateMask = (1u << kUpdateBits) - 1;
/// From this number of updates on, a parameter counts each StoredCorrections::interval-th one.
inline constexpr std::uint32_t kExactUpdates = 2048;

/// adam_corrections() for the numbers of updates that are stored.
struct StoredCorrections {
  std::vector<float> values;
  /// In steps that are no multiples of it, only parameters below kExactUpdates count. It is 1 where
  /// the table of corrections has at most 4096 elements, for example for a beta2 of 0.99.
  std::uint32_t interval = 1;
  std::uint32_t last = 0;  // of adam_corrections()

  /// The number of updates that a stored number stands for, and the reverse.
  std::uint32_t updates_of(std::uint32_t stored) const;
  std::uint32_t stored_of(std::uint32_t updates) const;
};

StoredCorrections stored_corrections(const std::vector<float>& corrections);

/// A saved state has the averages themselves, or their distances from the values. It also has
/// values, both moments and averages as floats, and numbers of updates in 16 bits, so that
/// each device reads those of another one.
enum class SavedAverages : std::uint8_t { values, distances };

/// The bits of a float, rounded to 16 of them. Ties go to even. NaN is not preserved.
template <class Words>
MOTE_LANE Words rounded_upper_half(Words bits) {
  return shift_right<16>(bits + Words(0x7fffu) + (shift_right<16>(bits) & Words(1u)));
}

/// `moment`: 0 or more, below 3e38.
template <class F, class Words = typename LaneWords<F>::Type>
MOTE_LANE Words store_second(F moment, Words updates) {
  const Words rounded = bits_of(moment) + Words((kUpdateMask + 1) / 2);
  return (rounded & Words(~kUpdateMask)) | updates;
}
template <class Words>
MOTE_LANE auto stored_second(Words word) {
  return float_of_bits(word & Words(~kUpdateMask));
}
template <class Words>
MOTE_LANE Words stored_updates(Words word) {
  return word & Words(kUpdateMask);
}

/// The number after one more update. `most`: the last number of the table, or kExactUpdates in a
/// step in which larger numbers stay.
template <class Words>
MOTE_LANE Words next_updates(Words updates, std::uint32_t most) {
  return updates + word_min(Words(1u), Words(most) - word_min(updates, Words(most)));
}

/// The `most` of a step.
inline std::uint32_t most_updates(const StoredCorrections& corrections, std::uint32_t step) {
  const auto last = static_cast<std::uint32_t>(corrections.values.size() - 1);
  return step % corrections.interval == 0 ? last : kExactUpdates;
}

}  // namespace mote
