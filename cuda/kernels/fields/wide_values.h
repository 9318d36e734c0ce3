#pragma once

// Networks with hidden layers of any width in kernels that fuse a grid and a network. Values of a
// warp's samples between layers are in global memory, of which a lane reads only what it wrote, and
// mostly in L1. Weights are read through the caches, once for the 32 samples of the warp.

#include <algorithm>
#include <cstddef>

#include "cuda/kernels/fields/network_layers.h"

namespace mote::cuda {

/// WIDTH of the kernels for any width.
inline constexpr int kAnyWidth = 0;
/// Blocks of 16 sums of a layer at a time, as many as registers hold.
inline constexpr int kSumsAtOnce = 4;

/// Elements of one of a warp's two layers.
MOTE_LANE std::size_t wide_layer_lanes(const NetworkShape& shape) {
  const int blocks =
      shape.width_blocks > shape.input_blocks ? shape.width_blocks : shape.input_blocks;
  return static_cast<std::size_t>(kRows<kAnyWidth> * blocks * kBlockLanes);
}

/// A lane's values of a layer.
class WideValues {
 public:
  MOTE_MEMBER explicit WideValues(uint4* layer) : own_(layer + threadIdx.x % kWarp) {}

  MOTE_MEMBER uint4& at(int block, int row) const {
    return own_[static_cast<unsigned>(block * kRows<kAnyWidth> + row) * kWarp];
  }

 private:
  uint4* own_;
};

/// Adds the products of a layer's inputs and up to kSumsAtOnce rows of blocks. `weights`: the first
/// block of the first row.
MOTE_DEVICE void add_wide(const WideValues& in, int inputs, const uint4* weights, int outputs,
                          BlockSums<kRows<kAnyWidth>> (&sums)[kSumsAtOnce]) {
  const unsigned lane = threadIdx.x % kWarp;
  MOTE_UNROLL
  for (int n = 0; n < kSumsAtOnce; ++n) set_zero(sums[n]);
  for (int k = 0; k < inputs; ++k) {
    uint4 values[kRows<kAnyWidth>];
    MOTE_UNROLL
    for (int row = 0; row < kRows<kAnyWidth>; ++row) values[row] = in.at(k, row);
    MOTE_UNROLL
    for (int n = 0; n < kSumsAtOnce; ++n) {
      if (n >= outputs) continue;
      const uint4 own = load_whole(weights + static_cast<unsigned>(n * inputs + k) * kWarp + lane);
      MOTE_UNROLL
      for (int row = 0; row < kRows<kAnyWidth>; ++row) add_product(values[row], own, row, sums[n]);
    }
  }
}

/// A hidden layer.
MOTE_DEVICE void wide_layer(LayerActivation activation, const WideValues& in, int inputs,
                            const uint4* weights, int outputs, const WideValues& out) {
  for (int first = 0; first < outputs; first += kSumsAtOnce) {
    BlockSums<kRows<kAnyWidth>> sums[kSumsAtOnce];
    add_wide(in, inputs, weights + static_cast<std::size_t>(first * inputs) * kWarp,
             outputs - first, sums);
    MOTE_UNROLL
    for (int n = 0; n < kSumsAtOnce; ++n) {
      if (first + n >= outputs) continue;
      MOTE_UNROLL
      for (int row = 0; row < kRows<kAnyWidth>; ++row) {
        out.at(first + n, row) = rounded_sums(activation, sums[n].at[row]);
      }
    }
  }
  if (is_simple(activation)) return;
  for (int i = 0; i < outputs * kRows<kAnyWidth> * 4; ++i) {
    unsigned& word = (&out.at(i / 4 / kRows<kAnyWidth>, i / 4 % kRows<kAnyWidth>).x)[i % 4];
    const float2 x = __half22float2(halves_of(word));
    word = visit_activation(activation, [&]<LayerActivation ACTIVATION>() {
      return rounded_halves(activate<ACTIVATION>(x.x), activate<ACTIVATION>(x.y));
    });
  }
}

/// evaluate_network() for any width. `space`: of the warp, two layers of wide_layer_lanes().
template <class Load>
MOTE_DEVICE void evaluate_wide(const NetworkShape& shape, const uint4* weights, const Load& load,
                               uint4* space, unsigned* warp_words,
                               BlockSums<kRows<kAnyWidth>>& outputs) {
  WideValues values(space), next(space + wide_layer_lanes(shape));
  for (int block = 0; block < shape.input_blocks; ++block) {
    uint4 in[kRows<kAnyWidth>];
    load(block, in);
    MOTE_UNROLL
    for (int row = 0; row < kRows<kAnyWidth>; ++row) values.at(block, row) = in[row];
  }
  for (int layer = 0; layer < shape.hidden_layers; ++layer) {
    const LayerBlocks blocks = layer_blocks(shape, layer);
    wide_layer(shape.activation, values, blocks.inputs,
               weights + static_cast<std::size_t>(blocks.first) * kWarp, blocks.outputs, next);
    const WideValues other = values;
    values = next;
    next = other;
  }
  const LayerBlocks last = layer_blocks(shape, shape.hidden_layers);
  BlockSums<kRows<kAnyWidth>> sums[kSumsAtOnce];
  add_wide(values, last.inputs, weights + static_cast<std::size_t>(last.first) * kWarp, 1, sums);
  outputs = sums[0];
  activate_outputs(shape.output_activation, warp_words, outputs);
}

}  // namespace mote::cuda
