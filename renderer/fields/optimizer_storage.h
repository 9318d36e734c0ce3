#pragma once

// How the state of a field's optimiser is stored in 8 bytes for each parameter, beside its value
// and the half that encodings read:
//   2: the first moment, as the upper half of a float, rounded to the nearest;
//   4: the second moment, a float of 11 fractional bits, and in the lower 12 bits the number of
//      updates;
//   2: the average of the values, as its distance from the value in a half without its lowest bit.
// The lowest bits of a block's 16 distances are the step of their average.
// With beta2 = 0.99, a moment that decays changes by 20 units of its last place in an update.

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "fields/field_optimizer.h"
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

/// The averages of a block of parameters.
struct AverageBlock {
  /// Halves whose lowest bit is 0: averages less values.
  alignas(32) std::array<std::uint16_t, kFieldBlock> distances{};
  /// The step whose average they are; later steps did not change the values. Modulo kAverageSteps.
  std::uint32_t step = 0;
};
inline constexpr std::uint32_t kAverageSteps = 1u << kFieldBlock;
/// In steps that are multiples of it, every block is visited, so that no stored step is
/// kAverageSteps old.
inline constexpr std::uint32_t kAverageSweep = kAverageSteps / 2;
/// Distances are at most this.
inline constexpr float kLargestDistance = 65472;

/// The step that a block stores, seen from the later step `now`.
MOTE_LANE std::uint32_t average_step(const AverageBlock& block, std::uint32_t now) {
  return now - (now - block.step) % kAverageSteps;
}

/// `stored`: the distances of a block. Four of them are read as one word.
MOTE_LANE AverageBlock load_average(const std::uint16_t* stored) {
  constexpr std::uint64_t kLowest = 0x0001000100010001;
  std::array<std::uint64_t, kFieldBlock / 4> words;
  std::memcpy(words.data(), stored, sizeof(words));
  AverageBlock block;
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    // The product moves bits 0, 16, 32 and 48 to 48, 49, 50 and 51.
    const std::uint64_t bits = (words[i] & kLowest) * 0x0001000200040008 >> 48;
    block.step |= static_cast<std::uint32_t>(bits & 15) << 4 * i;
    words[i] &= ~kLowest;
  }
  std::memcpy(block.distances.data(), words.data(), sizeof(words));
  return block;
}

/// The distances may be any halves of at most kLargestDistance; they are rounded. Ties go to even.
MOTE_LANE void store_average(const AverageBlock& block, std::uint16_t* stored) {
  constexpr std::uint64_t kLowest = 0x0001000100010001;
  std::array<std::uint64_t, kFieldBlock / 4> words;
  std::memcpy(words.data(), block.distances.data(), sizeof(words));
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    words[i] = (words[i] + (words[i] >> 1 & kLowest)) & ~kLowest;
    // The product moves bits 0, 1, 2 and 3 to 0, 16, 32 and 48, among others.
    words[i] |= (block.step >> 4 * i & 15) * 0x0000200040008001 & kLowest;
  }
  std::memcpy(stored, words.data(), sizeof(words));
}

}  // namespace mote
