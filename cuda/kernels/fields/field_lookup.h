#pragma once

// A grid and a network in one: the lanes of a warp encode their samples into the operands of the
// first layer. Lane t of four has the levels t, t + 4, ... (lane_order_input()), so that no
// features are exchanged. With encodings by parts, it has the pairs t, t + 4, ... of outputs.

#include "cuda/kernels/fields/field_values.h"
#include "cuda/kernels/fields/grid_encoding.h"
#include "cuda/kernels/fields/grid_lookup.h"
#include "cuda/kernels/fields/network_layers.h"
#include "cuda/kernels/fields/part_values.h"
#include "cuda/kernels/fields/stage_clock.h"
#include "cuda/kernels/fields/wide_values.h"

namespace mote::cuda {

/// Words of shared memory that a lane needs.
template <int WIDTH, int FEATURES>
MOTE_LANE int field_words(const NetworkShape& shape) {
  constexpr int kEncoding = (FEATURES == 8 ? 8 : 4) * kRows<WIDTH>;
  return needs_activation_words(shape) && kActivationWords<WIDTH> > kEncoding
             ? kActivationWords<WIDTH>
             : kEncoding;
}

/// Writes the lane's words of input block `block` to `warp_words`, in the order of the rows'
/// fragments. `position(sample, x)` gives the position of a sample of the warp's tile.
template <int WIDTH, int D, int FEATURES, class Position>
MOTE_DEVICE void encode_block(const FieldTables& field, int block, const Position& position,
                              unsigned* warp_words) {
  constexpr bool kIsByParts = FEATURES == kByParts;
  constexpr int kPairs = kIsByParts ? 1 : FEATURES / 2, kSamples = 2 * kRows<WIDTH>;
  // A level fills half of a block, a block, or two of them.
  constexpr int kLookups = kPairs == 1 ? 2 * kSamples : kSamples;
  const auto g = static_cast<int>(threadIdx.x % kWarp / 4), t = static_cast<int>(threadIdx.x % 4);
  for (int i = 0; i < kLookups; ++i) {
    const int sample = i % kSamples, part = i / kSamples;
    const int level = 4 * (kPairs == 1 ? 2 * block + part : FEATURES == 4 ? block : block / 2) + t;
    unsigned words[kPairs] = {};
    if constexpr (kIsByParts) {
      float x[D];
      position(8 * sample + g, x);
      words[0] = encoded_pair(*field.parts, field.levels, field.table, level, x);
    } else if (level < field.grid.levels) {
      float x[D];
      position(8 * sample + g, x);
      look_up_words<FEATURES, D>(field.grid.interpolation, field.levels[level], field.table, x,
                                 words);
    }
    MOTE_UNROLL
    for (int pair = 0; pair < kPairs; ++pair) {
      // For a block, then for the next.
      const int in_block = (part + pair) % 2, behind = pair / 2;
      lane_word(warp_words, 2 * kSamples * behind + 4 * (sample / 2) + sample % 2 + 2 * in_block) =
          words[pair];
    }
  }
}

/// The outputs of the field for the samples of the warp's tile. `clock`: StageClock, or NoClock.
template <int WIDTH, int D, int FEATURES, class Position, class Clock = NoClock>
MOTE_DEVICE void evaluate_field(const FieldTables& field, const uint4* weights,
                                const Position& position, unsigned* warp_words,
                                BlockSums<kRows<WIDTH>>& outputs, const Clock& clock = {}) {
  const auto load = [&](int block, uint4(&in)[kRows<WIDTH>]) {
    const bool is_second = FEATURES == 8 && block % 2 != 0;
    if (!is_second) {
      clock.reach(block == 0 ? FieldStage::rest : FieldStage::network);
      encode_block<WIDTH, D, FEATURES>(field, block, position, warp_words);
      clock.reach(FieldStage::encode);
    }
    MOTE_UNROLL
    for (int row = 0; row < kRows<WIDTH>; ++row) {
      LayerValues<1, 1> own;
      const int first = 4 * (row + (is_second ? kRows<WIDTH> : 0));
      load_values(warp_words + first * kWarp, own);
      in[row] = own.at[0][0];
    }
  };
  if constexpr (WIDTH == kAnyWidth) {
    const std::size_t warp = std::size_t{blockIdx.x} * (blockDim.x / kWarp) + threadIdx.x / kWarp;
    evaluate_wide(field.shape, weights, load,
                  field.space + 2 * warp * wide_layer_lanes(field.shape), warp_words, outputs);
  } else {
    evaluate_network<WIDTH>(field.shape, weights, load, warp_words, outputs);
  }
  clock.reach(FieldStage::network);
}

}  // namespace mote::cuda
