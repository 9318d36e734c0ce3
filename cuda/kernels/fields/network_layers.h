#pragma once

// Layers of a network on tensor cores, for kernels. A warp evaluates kRows<WIDTH> times 16 samples.
// Values between layers stay in its registers as halves: the sums of one product are the operand of
// the next. Sums are floats.

#include <cstdint>

#include "cuda/kernels/fields/network_blocks.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/halves.h"
#include "cuda/runtime/matrices.h"

namespace mote::cuda {

/// Rows of 16 samples of a warp: as many as its registers hold.
template <int WIDTH>
inline constexpr int kRows = WIDTH <= 64 ? 2 : 1;

/// Samples of a warp's tile.
template <int WIDTH>
inline constexpr unsigned kTileSamples = 16 * kRows<WIDTH>;

/// Values of all samples: fragments a of [16 samples][16 values].
template <int ROWS, int BLOCKS>
struct LayerValues {
  uint4 at[ROWS][BLOCKS];
};

/// Values of a hidden layer.
template <int WIDTH>
using Hidden = LayerValues<kRows<WIDTH>, WIDTH / kBlockValues>;

/// 16 sums of each sample: two fragments c beside each other.
template <int ROWS>
struct BlockSums {
  float4 at[ROWS][2];
};

template <int ROWS>
MOTE_DEVICE void set_zero(BlockSums<ROWS>& sums) {
  MOTE_UNROLL
  for (int row = 0; row < ROWS; ++row) sums.at[row][0] = sums.at[row][1] = {0, 0, 0, 0};
}

/// Adds the product of 16 values of a row of samples and a block of weights.
template <int ROWS>
MOTE_DEVICE void add_product(uint4 values, uint4 weights, int row, BlockSums<ROWS>& sums) {
  sums.at[row][0] = multiply_halves(values, {weights.x, weights.y}, sums.at[row][0]);
  sums.at[row][1] = multiply_halves(values, {weights.z, weights.w}, sums.at[row][1]);
}

/// Whether an activation is computed while sums become halves. The others are computed afterwards,
/// in shared memory, where a loop can go through a lane's values.
MOTE_LANE bool is_simple(LayerActivation activation) {
  return activation == LayerActivation::none || activation == LayerActivation::relu ||
         activation == LayerActivation::leaky_relu;
}

/// 16 sums of a row of samples as halves, after the activation if it is simple.
MOTE_DEVICE uint4 rounded_sums(LayerActivation activation, const float4 (&sums)[2]) {
  const float4 low = sums[0], high = sums[1];
  if (activation == LayerActivation::relu) {
    return {positive_halves(low.x, low.y), positive_halves(low.z, low.w),
            positive_halves(high.x, high.y), positive_halves(high.z, high.w)};
  }
  if (activation == LayerActivation::leaky_relu) {
    const auto leaky = [](float x, float y) {
      return rounded_halves(activate<LayerActivation::leaky_relu>(x),
                            activate<LayerActivation::leaky_relu>(y));
    };
    return {leaky(low.x, low.y), leaky(low.z, low.w), leaky(high.x, high.y), leaky(high.z, high.w)};
  }
  return {rounded_halves(low.x, low.y), rounded_halves(low.z, low.w),
          rounded_halves(high.x, high.y), rounded_halves(high.z, high.w)};
}

/// The gradients before a simple activation, from those after it and the values.
MOTE_DEVICE uint4 before_simple(LayerActivation activation, uint4 values, const float4 (&d)[2]) {
  if (activation == LayerActivation::none) return rounded_sums(activation, d);
  if (activation == LayerActivation::relu) {
    const uint4 own = rounded_sums(LayerActivation::none, d);
    return {halves_where_positive(values.x, own.x), halves_where_positive(values.y, own.y),
            halves_where_positive(values.z, own.z), halves_where_positive(values.w, own.w)};
  }
  const auto pair = [](unsigned word, float low, float high) {
    const float2 y = __half22float2(halves_of(word));
    return rounded_halves(activate_vjp<LayerActivation::leaky_relu>(y.x, y.x, low),
                          activate_vjp<LayerActivation::leaky_relu>(y.y, y.y, high));
  };
  return {pair(values.x, d[0].x, d[0].y), pair(values.y, d[0].z, d[0].w),
          pair(values.z, d[1].x, d[1].y), pair(values.w, d[1].z, d[1].w)};
}

/// A lane's words in the shared memory of its warp, [words][lanes]. Eight rows of 16 bytes of a
/// word are a matrix for load_matrices().
MOTE_DEVICE unsigned& lane_word(unsigned* warp_words, int word) {
  return warp_words[word * kWarp + static_cast<int>(threadIdx.x % kWarp)];
}

template <int ROWS, int BLOCKS>
MOTE_DEVICE void store_values(const LayerValues<ROWS, BLOCKS>& values, unsigned* warp_words) {
  MOTE_UNROLL
  for (int row = 0; row < ROWS; ++row) {
    MOTE_UNROLL
    for (int block = 0; block < BLOCKS; ++block) {
      const uint4 own = values.at[row][block];
      const int first = 4 * (row * BLOCKS + block);
      lane_word(warp_words, first) = own.x;
      lane_word(warp_words, first + 1) = own.y;
      lane_word(warp_words, first + 2) = own.z;
      lane_word(warp_words, first + 3) = own.w;
    }
  }
}

template <int ROWS, int BLOCKS>
MOTE_DEVICE void load_values(unsigned* warp_words, LayerValues<ROWS, BLOCKS>& values) {
  MOTE_UNROLL
  for (int row = 0; row < ROWS; ++row) {
    MOTE_UNROLL
    for (int block = 0; block < BLOCKS; ++block) {
      const int first = 4 * (row * BLOCKS + block);
      values.at[row][block] = {lane_word(warp_words, first), lane_word(warp_words, first + 1),
                               lane_word(warp_words, first + 2), lane_word(warp_words, first + 3)};
    }
  }
}

/// Applies the activation to a lane's words of two halves in shared memory.
MOTE_DEVICE void activate_words(LayerActivation activation, unsigned* warp_words, int words) {
  for (int word = 0; word < words; ++word) {
    const float2 x = __half22float2(halves_of(lane_word(warp_words, word)));
    lane_word(warp_words, word) = visit_activation(activation, [&]<LayerActivation ACTIVATION>() {
      return rounded_halves(activate<ACTIVATION>(x.x), activate<ACTIVATION>(x.y));
    });
  }
}

/// The values of a layer after its activation, if that is not simple. `warp_words`: space for them.
template <int ROWS, int BLOCKS>
MOTE_DEVICE void finish_activation(LayerActivation activation, unsigned* warp_words,
                                   LayerValues<ROWS, BLOCKS>& values) {
  if (is_simple(activation)) return;
  store_values(values, warp_words);
  activate_words(activation, warp_words, 4 * ROWS * BLOCKS);
  load_values(warp_words, values);
}

/// The first layer. `load(block, values)` gives 16 inputs of each row of samples, in order.
template <int WIDTH, class Load>
MOTE_DEVICE void first_layer(const NetworkShape& shape, const uint4* weights, const Load& load,
                             Hidden<WIDTH>& out) {
  constexpr int kBlocks = WIDTH / kBlockValues, kOwnRows = kRows<WIDTH>;
  const unsigned lane = threadIdx.x % kWarp;
  BlockSums<kOwnRows> sums[kBlocks];
  MOTE_UNROLL
  for (int n = 0; n < kBlocks; ++n) set_zero(sums[n]);
  for (int k = 0; k < shape.input_blocks; ++k) {
    uint4 in[kOwnRows];
    load(k, in);
    MOTE_UNROLL
    for (int n = 0; n < kBlocks; ++n) {
      const uint4 own =
          load_whole(weights + static_cast<unsigned>(n * shape.input_blocks + k) * kWarp + lane);
      MOTE_UNROLL
      for (int row = 0; row < kOwnRows; ++row) add_product(in[row], own, row, sums[n]);
    }
  }
  MOTE_UNROLL
  for (int row = 0; row < kOwnRows; ++row) {
    MOTE_UNROLL
    for (int n = 0; n < kBlocks; ++n) {
      out.at[row][n] = rounded_sums(shape.activation, sums[n].at[row]);
    }
  }
}

/// 16 sums of a layer: the products of its inputs and a row of blocks.
template <int ROWS, int BLOCKS>
MOTE_DEVICE void block_sums(const LayerValues<ROWS, BLOCKS>& in, const uint4* blocks,
                            BlockSums<ROWS>& sums) {
  const unsigned lane = threadIdx.x % kWarp;
  set_zero(sums);
  MOTE_UNROLL
  for (int k = 0; k < BLOCKS; ++k) {
    const uint4 own = load_whole(blocks + static_cast<unsigned>(k) * kWarp + lane);
    MOTE_UNROLL
    for (int row = 0; row < ROWS; ++row) add_product(in.at[row][k], own, row, sums);
  }
}

/// A layer between hidden ones.
template <int WIDTH>
MOTE_DEVICE void hidden_layer(LayerActivation activation, const uint4* weights,
                              const Hidden<WIDTH>& in, Hidden<WIDTH>& out) {
  constexpr int kBlocks = WIDTH / kBlockValues;
  MOTE_UNROLL
  for (int n = 0; n < kBlocks; ++n) {
    BlockSums<kRows<WIDTH>> sums;
    block_sums(in, weights + n * kBlocks * kWarp, sums);
    MOTE_UNROLL
    for (int row = 0; row < kRows<WIDTH>; ++row) {
      out.at[row][n] = rounded_sums(activation, sums.at[row]);
    }
  }
}

/// Calls visit(value, row, output) for each sum of the lane: sample `row` of the warp's tile.
template <int ROWS, class Visit>
MOTE_DEVICE void for_each_sum(BlockSums<ROWS>& sums, const Visit& visit) {
  const auto g = static_cast<int>(threadIdx.x % kWarp / 4), t = static_cast<int>(threadIdx.x % 4);
  MOTE_UNROLL
  for (int row = 0; row < ROWS; ++row) {
    MOTE_UNROLL
    for (int half = 0; half < 2; ++half) {
      float4& own = sums.at[row][half];
      const int sample = 16 * row + g, output = 8 * half + 2 * t;
      visit(own.x, sample, output);
      visit(own.y, sample, output + 1);
      visit(own.z, sample + 8, output);
      visit(own.w, sample + 8, output + 1);
    }
  }
}

/// Words of shared memory that a lane needs for activations that are not simple.
template <int WIDTH>
inline constexpr int kActivationWords = 4 * kRows<WIDTH>*(WIDTH < 32 ? 2 : WIDTH / kBlockValues);

/// Applies the output activation to the sums.
template <int ROWS>
MOTE_DEVICE void activate_outputs(LayerActivation activation, unsigned* warp_words,
                                  BlockSums<ROWS>& sums) {
  if (activation == LayerActivation::none) return;
  int words = 0;
  for_each_sum(
      sums, [&](float& own, int, int) { lane_word(warp_words, words++) = __float_as_uint(own); });
  for (int word = 0; word < words; ++word) {
    const float x = __uint_as_float(lane_word(warp_words, word));
    lane_word(warp_words, word) = __float_as_uint(visit_activation(
        activation, [&]<LayerActivation ACTIVATION>() { return activate<ACTIVATION>(x); }));
  }
  words = 0;
  for_each_sum(
      sums, [&](float& own, int, int) { own = __uint_as_float(lane_word(warp_words, words++)); });
}

/// The gradients before the output activation, from those after it and its arguments. `warp_words`:
/// two for each sum of a lane.
template <int ROWS>
MOTE_DEVICE void output_gradients_before(LayerActivation activation, unsigned* warp_words,
                                         BlockSums<ROWS>& arguments, BlockSums<ROWS>& d) {
  constexpr int kSums = 8 * ROWS;
  int word = 0;
  const auto put = [&](float& own, int, int) {
    lane_word(warp_words, word++) = __float_as_uint(own);
  };
  for_each_sum(arguments, put);
  for_each_sum(d, put);
  for (word = 0; word < kSums; ++word) {
    const float x = __uint_as_float(lane_word(warp_words, word));
    const float d_y = __uint_as_float(lane_word(warp_words, kSums + word));
    lane_word(warp_words, word) =
        __float_as_uint(visit_activation(activation, [&]<LayerActivation ACTIVATION>() {
          return activate_vjp<ACTIVATION>(x, activate<ACTIVATION>(x), d_y);
        }));
  }
  word = 0;
  for_each_sum(d,
               [&](float& own, int, int) { own = __uint_as_float(lane_word(warp_words, word++)); });
}

/// Whether a network needs kActivationWords.
MOTE_LANE bool needs_activation_words(const NetworkShape& shape) {
  return !is_simple(shape.activation) || shape.output_activation != LayerActivation::none;
}

/// All layers: the 16 outputs of each sample. `weights`: NetworkWeightsArgs::blocks.
template <int WIDTH, class Load>
MOTE_DEVICE void evaluate_network(const NetworkShape& shape, const uint4* weights, const Load& load,
                                  unsigned* warp_words, BlockSums<kRows<WIDTH>>& outputs) {
  constexpr int kBlocks = WIDTH / kBlockValues;
  Hidden<WIDTH> values, next;
  first_layer<WIDTH>(shape, weights, load, values);
  weights += shape.input_blocks * kBlocks * kWarp;
  constexpr int kLayer = kBlocks * kBlocks * kWarp;
  int layer = 1;
  if (is_simple(shape.activation)) {
    // Two layers in a turn, so that the values need no copy.
    for (; layer + 1 < shape.hidden_layers; layer += 2, weights += 2 * kLayer) {
      hidden_layer<WIDTH>(shape.activation, weights, values, next);
      hidden_layer<WIDTH>(shape.activation, weights + kLayer, next, values);
    }
    if (layer < shape.hidden_layers) {
      hidden_layer<WIDTH>(shape.activation, weights, values, next);
      values = next;
      weights += kLayer;
    }
  } else {
    // The code of the activations is long, so it is there once.
    while (true) {
      finish_activation(shape.activation, warp_words, values);
      if (layer >= shape.hidden_layers) break;
      hidden_layer<WIDTH>(shape.activation, weights, values, next);
      values = next;
      ++layer;
      weights += kLayer;
    }
  }
  block_sums(values, weights, outputs);
  activate_outputs(shape.output_activation, warp_words, outputs);
}

/// Copies the blocks of weights into shared memory. The block's threads must all call.
MOTE_DEVICE void copy_blocks(const uint4* from, int blocks, uint4* to) {
  for (unsigned i = threadIdx.x; i < static_cast<unsigned>(blocks) * kWarp; i += blockDim.x) {
    to[i] = from[i];
  }
  __syncthreads();
}

}  // namespace mote::cuda
