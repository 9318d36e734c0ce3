#pragma once

// The features of a grid's level at a position, for kernels that encode positions.

#include <cstdint>

#include "cuda/runtime/dialect.h"
#include "cuda/runtime/halves.h"
#include "fields/encodings/grid.h"

namespace mote::cuda {

/// An entry of a table, two halves in a word.
template <int FEATURES>
struct GridEntry {
  unsigned word[FEATURES / 2];
};

/// Loads the entries `first` and `second`, numbers in the whole table, with one load of both where
/// they are an aligned pair. The table has an even number of entries.
template <int FEATURES>
MOTE_DEVICE void load_neighbours(const std::uint16_t* table, unsigned first, unsigned second,
                                 GridEntry<FEATURES>& a, GridEntry<FEATURES>& b) {
  const bool is_odd = first % 2 != 0, is_pair = (first ^ second) == 1;
  if constexpr (FEATURES == 2) {
    const uint2 pair = __ldg(reinterpret_cast<const uint2*>(table) + first / 2);
    a.word[0] = is_odd ? pair.y : pair.x;
    b.word[0] = is_odd ? pair.x : pair.y;
    if (!is_pair) b.word[0] = __ldg(reinterpret_cast<const unsigned*>(table) + second);
  } else if constexpr (FEATURES == 4) {
    const uint4 pair = __ldg(reinterpret_cast<const uint4*>(table) + first / 2);
    a = is_odd ? GridEntry<4>{pair.z, pair.w} : GridEntry<4>{pair.x, pair.y};
    b = is_odd ? GridEntry<4>{pair.x, pair.y} : GridEntry<4>{pair.z, pair.w};
    if (!is_pair) {
      const uint2 other = __ldg(reinterpret_cast<const uint2*>(table) + second);
      b = {other.x, other.y};
    }
  } else {
    // An entry is the widest load.
    const uint4 own = __ldg(reinterpret_cast<const uint4*>(table) + first);
    const uint4 other = __ldg(reinterpret_cast<const uint4*>(table) + second);
    a = {own.x, own.y, own.z, own.w};
    b = {other.x, other.y, other.z, other.w};
  }
}

template <int FEATURES>
MOTE_DEVICE void add_entry(float weight, const GridEntry<FEATURES>& entry,
                           float (&features)[FEATURES]) {
  MOTE_UNROLL
  for (int w = 0; w < FEATURES / 2; ++w) {
    const float2 both = __half22float2(halves_of(entry.word[w]));
    features[2 * w] = fma(weight, both.x, features[2 * w]);
    features[2 * w + 1] = fma(weight, both.y, features[2 * w + 1]);
  }
}

/// grid_features() with the loads of a device. `features`: zero before.
template <Interpolation INTERPOLATION, int FEATURES, int D>
MOTE_DEVICE void look_up(const GridLevel& level, const std::uint16_t* table, const float (&x)[D],
                         float (&features)[FEATURES]) {
  constexpr int kCorners = kGridCorners<INTERPOLATION, D>;
  unsigned entry[kCorners + 1];
  float weight[kCorners];
  for_each_corner<INTERPOLATION>(level, grid_cell<INTERPOLATION>(level, x),
                                 [&](int corner, unsigned index, float own) {
                                   entry[corner] = level.first + index;
                                   weight[corner] = own;
                                 });
  if constexpr (kCorners == 1) {
    GridEntry<FEATURES> own, other;
    load_neighbours<FEATURES>(table, entry[0], entry[0] ^ 1u, own, other);
    add_entry<FEATURES>(weight[0], own, features);
  } else {
    GridEntry<FEATURES> own[kCorners];
    MOTE_UNROLL
    for (int c = 0; c < kCorners; c += 2) {  // the upper neighbour along x follows
      load_neighbours<FEATURES>(table, entry[c], entry[c + 1], own[c], own[c + 1]);
    }
    MOTE_UNROLL
    for (int c = 0; c < kCorners; ++c) add_entry<FEATURES>(weight[c], own[c], features);
  }
}

/// The same for an interpolation that is known at run time, as words of two halves.
template <int FEATURES, int D>
MOTE_DEVICE void look_up_words(Interpolation interpolation, const GridLevel& level,
                               const std::uint16_t* table, const float (&x)[D],
                               unsigned (&words)[FEATURES / 2]) {
  float features[FEATURES] = {};
  switch (interpolation) {
    case Interpolation::nearest:
      look_up<Interpolation::nearest, FEATURES, D>(level, table, x, features);
      break;
    case Interpolation::linear:
      look_up<Interpolation::linear, FEATURES, D>(level, table, x, features);
      break;
    case Interpolation::smoothstep:
      look_up<Interpolation::smoothstep, FEATURES, D>(level, table, x, features);
      break;
  }
  MOTE_UNROLL
  for (int w = 0; w < FEATURES / 2; ++w) {
    words[w] = bits_of(__floats2half2_rn(features[2 * w], features[2 * w + 1]));
  }
}

}  // namespace mote::cuda
