#pragma once

// The gradients of a layer's weights: products of its gradients and its inputs, over the samples of
// a block of threads. The warps share out the blocks of the matrix.

#include "cuda/kernels/fields/kept_layers.h"

namespace mote::cuda {

/// A fragment of four transposed matrices, of a block of 16 samples and 16 values from `words` on.
MOTE_DEVICE uint4 transposed_block(const unsigned* words, bool samples_first) {
  const unsigned lane = threadIdx.x % kWarp, matrix = lane / 8;
  const unsigned word = samples_first ? matrix : matrix % 2 * 2 + matrix / 2;
  return load_transposed_matrices(words + word * kWarp + lane % 8 * 4);
}

/// Adds to the sums of two blocks of outputs by two blocks of inputs, from all samples of the tile.
/// IS_WHOLE: the layer has all four of its blocks.
template <int WIDTH, bool IS_WHOLE>
class WeightRegion {
 public:
  static constexpr int kOwnRows = kRows<WIDTH>;

  MOTE_MEMBER WeightRegion(LayerBlocks layer, int output, int input, float4* part)
      : layer_(layer), output_(output), input_(input), part_(part) {}

  MOTE_MEMBER void load(bool from_zero) {
    for_each([&](int a, int b, int half, float4* at) {
      sums_[a][b][half] = from_zero ? float4{0, 0, 0, 0} : *at;
    });
  }
  MOTE_MEMBER void store() const {
    for_each([&](int a, int b, int half, float4* at) { *at = sums_[a][b][half]; });
  }

  /// Adds a row of samples: `d`, `values`: its blocks of the layer's outputs and inputs.
  MOTE_MEMBER void add(const unsigned* d, const unsigned* values) {
    uint4 in[2];
    MOTE_UNROLL
    for (int b = 0; b < 2; ++b) {
      if (has_input(b)) in[b] = transposed_block(values + 4 * (input_ + b) * kWarp, true);
    }
    MOTE_UNROLL
    for (int a = 0; a < 2; ++a) {
      if (!has_output(a)) continue;
      const uint4 out = transposed_block(d + 4 * (output_ + a) * kWarp, false);
      MOTE_UNROLL
      for (int b = 0; b < 2; ++b) {
        if (!has_input(b)) continue;
        sums_[a][b][0] = multiply_halves(out, {in[b].x, in[b].y}, sums_[a][b][0]);
        sums_[a][b][1] = multiply_halves(out, {in[b].z, in[b].w}, sums_[a][b][1]);
      }
    }
  }

 private:
  MOTE_MEMBER bool has_output(int a) const { return IS_WHOLE || output_ + a < layer_.outputs; }
  MOTE_MEMBER bool has_input(int b) const { return IS_WHOLE || input_ + b < layer_.inputs; }
  template <class Visit>
  MOTE_MEMBER void for_each(const Visit& visit) const {
    MOTE_UNROLL
    for (int a = 0; a < 2; ++a) {
      MOTE_UNROLL
      for (int b = 0; b < 2; ++b) {
        if (!has_output(a) || !has_input(b)) continue;
        const int block = layer_.first + (output_ + a) * layer_.inputs + input_ + b;
        float4* const at = part_ + (block * 2) * kWarp + static_cast<int>(threadIdx.x % kWarp);
        visit(a, b, 0, at);
        visit(a, b, 1, at + kWarp);
      }
    }
  }

  LayerBlocks layer_;
  int output_, input_;
  float4* part_;
  float4 sums_[2][2][2];
};

/// Adds to a region from the samples of all warps.
template <int WIDTH, bool IS_WHOLE>
MOTE_DEVICE void add_region(const NetworkShape& shape, int layer, const LayerBlocks& blocks,
                            int output, int input, const KeptLayers<WIDTH>& kept, float4* part,
                            bool from_zero) {
  WeightRegion<WIDTH, IS_WHOLE> own(blocks, output, input, part);
  own.load(from_zero);
  for (unsigned warp = 0; warp < blockDim.x / kWarp; ++warp) {
    const KeptLayers<WIDTH> of_warp = kept.of_warp(warp);
    const unsigned* d = layer == shape.hidden_layers ? of_warp.outputs() : of_warp.hidden(layer);
    const unsigned* values = layer == 0 ? of_warp.inputs() : of_warp.hidden(layer - 1);
    for (int row = 0; row < kRows<WIDTH>; ++row) {
      own.add(d + 4 * row * blocks.outputs * kWarp, values + 4 * row * blocks.inputs * kWarp);
    }
  }
  own.store();
}

/// Adds the gradients of a layer's weights over the samples of all warps.
template <int WIDTH>
MOTE_DEVICE void add_weight_products(const NetworkShape& shape, int layer,
                                     const KeptLayers<WIDTH>& kept, float4* part, bool from_zero) {
  const LayerBlocks blocks = layer_blocks(shape, layer);
  const int across = (blocks.inputs + 1) / 2, regions = (blocks.outputs + 1) / 2 * across;
  for (int region = static_cast<int>(threadIdx.x / kWarp); region < regions;
       region += static_cast<int>(blockDim.x / kWarp)) {
    const int output = region / across * 2, input = region % across * 2;
    if (output + 1 < blocks.outputs && input + 1 < blocks.inputs) {
      add_region<WIDTH, true>(shape, layer, blocks, output, input, kept, part, from_zero);
    } else {
      add_region<WIDTH, false>(shape, layer, blocks, output, input, kept, part, from_zero);
    }
  }
}

}  // namespace mote::cuda
