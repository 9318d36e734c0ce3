#pragma once

// Products of the layers of a multilayer perceptron, for a tile of samples whose values stay in L1
// or L2. Only kernel files include this.
//
// Values of a tile are in panels of 16 features, [panel][sample][16], so that a lane is a feature.
// In all three products of a layer (values, gradient of the inputs, gradient of the weights) one
// factor is broadcast and the other is loaded with its lanes, so that none of them needs a
// transposition and no sum crosses lanes. Sums stay in registers.

#include <cstring>
#include <new>
#include <utility>

#include "cpu/tile_memory.h"
#include "fields/networks/mlp_layout.h"
#include "lanes/pack.h"

namespace mote::MOTE_ISA {

inline constexpr std::size_t kLanes = kPackLanes;
inline constexpr std::size_t kPanel = 16;  // features
inline constexpr std::size_t kTile = 96;   // samples
inline constexpr std::size_t kPanelFloats = kPanel * kTile;
inline constexpr std::size_t kOutputQuad = 4;  // outputs of the products for few outputs

// Sums of a product in registers: the number of samples times that of packs. Each number of samples
// divides kTile.
inline constexpr std::size_t kSums = kLanes == 16 ? 24 : 12;
inline constexpr std::size_t kMostPacks = kLanes == 16 ? 4 : 2;

/// Distance of the p-th pack from the first in the row of a sample. Packs that are used together
/// begin in one panel, or each has a panel to itself.
constexpr std::size_t pack_offset(std::size_t p) {
  return kLanes == kPanel ? p * kPanelFloats : p * kLanes;
}

/// Place of a feature of a tile's first sample.
constexpr std::size_t feature_offset(std::size_t feature) {
  return feature / kPanel * kPanelFloats + feature % kPanel;
}

template <class Visit, std::size_t... I>
MOTE_LANE void unroll(const Visit& visit, std::index_sequence<I...>) {
  (visit.template operator()<I>(), ...);
}
/// Calls visit<0>() to visit<COUNT - 1>(). Packs in arrays stay in registers if places are
/// constant.
template <std::size_t COUNT, class Visit>
MOTE_LANE void unroll(const Visit& visit) {
  unroll(visit, std::make_index_sequence<COUNT>());
}

/// Zeros that stay in registers. An array of Pack would be filled by a loop, and stay in memory.
using SumVector = hn::Vec<PackTag>;
template <std::size_t ROWS, std::size_t PACKS>
MOTE_LANE void clear(SumVector (&sums)[ROWS][PACKS]) {
  unroll<ROWS>(
      [&]<std::size_t R>() { unroll<PACKS>([&]<std::size_t P>() { sums[R][P] = Pack().value; }); });
}

/// Parts of the memory of a call. A thread has one at a time.
class TileMemory {
 public:
  explicit TileMemory(std::size_t floats) : free_(tile_memory(floats)) {}

  /// The next `floats` floats; a multiple of 16.
  float* take(std::size_t floats) {
    float* taken = free_;
    free_ += floats;
    return taken;
  }

 private:
  float* free_;
};

/// Follows a product, while its sums are in registers.
enum class Finish {
  none,
  relu,     // results are ReLUs of the sums
  relu_vjp  // results are zero where `results` of the product are not positive
};

/// to [sample][outputs] = from [sample][inputs] * matrix [inputs][outputs].
struct TileProduct {
  const float* matrix;
  std::size_t row;  // floats from row to row of the matrix
  std::size_t inputs, outputs;
  const float* from;
  float* to;
  const float* results;  // of Finish::relu_vjp, in the layout of `to`
};

template <Finish FINISH>
MOTE_LANE Pack finished(Pack sum, const float* result) {
  if constexpr (FINISH == Finish::relu) return max(sum, Pack());
  if constexpr (FINISH == Finish::relu_vjp) return keep(load(result) > Pack(), sum);
  return sum;
}

/// PACKS packs of outputs from `first` on.
template <Finish FINISH, std::size_t PACKS>
void multiply_columns(const TileProduct& product, std::size_t first) {
  constexpr std::size_t kSamples = kSums / PACKS;
  for (std::size_t s = 0; s < kTile; s += kSamples) {
    SumVector sums[kSamples][PACKS];
    clear(sums);
    const float* weights = product.matrix + first;
    for (std::size_t i = 0; i < product.inputs; i += kPanel) {
      const float* values = product.from + i * kTile + s * kPanel;
      const std::size_t left = product.inputs - i;
      const float* end = values + (left < kPanel ? left : kPanel);
      for (; values != end; ++values, weights += product.row) {
        Pack w[PACKS];
        unroll<PACKS>([&]<std::size_t P>() { w[P] = load(weights + P * kLanes); });
        unroll<kSamples>([&]<std::size_t S>() {
          const Pack x(values[S * kPanel]);
          unroll<PACKS>([&]<std::size_t P>() { sums[S][P] = fma(w[P], x, sums[S][P]).value; });
        });
      }
    }
    const std::size_t place = feature_offset(first) + s * kPanel;
    unroll<kSamples>([&]<std::size_t S>() {
      unroll<PACKS>([&]<std::size_t P>() {
        const std::size_t own = place + S * kPanel + pack_offset(P);
        const float* result = FINISH == Finish::relu_vjp ? product.results + own : nullptr;
        store(finished<FINISH>(sums[S][P], result), product.to + own);
      });
    });
  }
}

template <Finish FINISH>
void multiply(const TileProduct& product) {
  std::size_t first = 0;
  while (first < product.outputs) {
    std::size_t packs = (product.outputs - first) / kLanes;
    packs = packs < kMostPacks ? packs : kMostPacks;
    if constexpr (kMostPacks == 4) {
      if (packs == 4) multiply_columns<FINISH, 4>(product, first);
      if (packs == 3) multiply_columns<FINISH, 3>(product, first);
      if (packs == 1) multiply_columns<FINISH, 1>(product, first);
    }
    if (packs == 2) multiply_columns<FINISH, 2>(product, first);
    first += packs * kLanes;
  }
}

/// The matrix of multiply_quad(): [inputs / 4][4 outputs][4 inputs] of the first four outputs of a
/// layer's matrix [outputs][inputs].
inline void pack_quad(const float* matrix, std::size_t inputs, float* packed) {
  for (std::size_t i = 0; i < inputs; i += 4) {
    for (std::size_t o = 0; o < kOutputQuad; ++o, packed += 4) {
      std::memcpy(packed, matrix + o * inputs + i, 4 * sizeof(float));
    }
  }
}

/// The first four outputs of a layer: to [output][kTile] from [sample][inputs]. A lane is an output
/// and the remainder of an input by 4.
inline void multiply_quad(const float* packed, std::size_t inputs, const float* from, float* to) {
  constexpr std::size_t kSamples = 8;
  const PackTag tag;
  const hn::FixedTag<float, 4> block;
  for (std::size_t pack = 0; pack < 4 * kOutputQuad; pack += kLanes) {
    for (std::size_t s = 0; s < kTile; s += kSamples) {
      Pack sums[kSamples];
      for (std::size_t i = 0; i < inputs; i += 4) {
        const Pack weights = load(packed + i * kOutputQuad + pack);
        const float* values = from + feature_offset(i) + s * kPanel;
        unroll<kSamples>([&]<std::size_t S>() {
          sums[S] = fma(weights, Pack(hn::LoadDup128(tag, values + S * kPanel)), sums[S]);
        });
      }
      unroll<kSamples / 4>([&]<std::size_t QUAD>() {
        const Pack* own = sums + 4 * QUAD;
        const PackQuad parts = transpose_blocks({own[0], own[1], own[2], own[3]});
        alignas(64) float totals[kLanes];
        store((parts.first + parts.second) + (parts.third + parts.fourth), totals);
        for (std::size_t lane = 0; lane < kLanes; lane += 4) {
          hn::Store(hn::Load(block, totals + lane), block,
                    to + (pack + lane) / 4 * kTile + s + 4 * QUAD);
        }
      });
    }
  }
}

/// The gradient of a layer's weights: matrix [outputs][inputs] += d [sample][outputs] * from
/// [sample][inputs].
struct TileGradient {
  const float *d, *from;
  std::size_t outputs, inputs;
  float* matrix;
};

/// PACKS packs of inputs from `input` on, and the outputs from `output` on, ROWS at a time as long
/// as there are so many. Returns the number of outputs that are done.
template <std::size_t ROWS, std::size_t PACKS>
std::size_t add_rows(const TileGradient& gradient, std::size_t output, std::size_t input) {
  const std::size_t row = gradient.inputs;
  for (; output + ROWS <= gradient.outputs; output += ROWS) {
    const float* d = gradient.d + feature_offset(output);
    const float* values = gradient.from + feature_offset(input);
    SumVector sums[ROWS][PACKS];
    clear(sums);
    for (std::size_t s = 0; s < kTile; ++s, d += kPanel, values += kPanel) {
      Pack x[PACKS];
      unroll<PACKS>([&]<std::size_t P>() { x[P] = load(values + pack_offset(P)); });
      unroll<ROWS>([&]<std::size_t R>() {
        const Pack own(d[R]);
        unroll<PACKS>([&]<std::size_t P>() { sums[R][P] = fma(x[P], own, sums[R][P]).value; });
      });
    }
    float* matrix = gradient.matrix + output * row + input;
    unroll<ROWS>([&]<std::size_t R>() {
      unroll<PACKS>([&]<std::size_t P>() {
        float* own = matrix + R * row + P * kLanes;
        store(load(own) + sums[R][P], own);
      });
    });
  }
  return output;
}

template <std::size_t PACKS>
void add_columns(const TileGradient& gradient, std::size_t input) {
  constexpr std::size_t kRows = kLanes < 16 || PACKS >= 3 ? 4 : 16 / PACKS;
  const std::size_t done = add_rows<kRows, PACKS>(gradient, 0, input);
  if constexpr (kRows > kOutputQuad) add_rows<kOutputQuad, PACKS>(gradient, done, input);
}

/// The number of outputs is a multiple of four.
inline void add_all_products(const TileGradient& gradient) {
  std::size_t input = 0;
  while (input < gradient.inputs) {
    std::size_t packs = (gradient.inputs - input) / kLanes;
    packs = packs < kMostPacks ? packs : kMostPacks;
    if constexpr (kMostPacks == 4) {
      if (packs == 4) add_columns<4>(gradient, input);
      if (packs == 3) add_columns<3>(gradient, input);
      if (packs == 1) add_columns<1>(gradient, input);
    }
    if (packs == 2) add_columns<2>(gradient, input);
    input += packs * kLanes;
  }
}

/// Whether the derivative needs the argument. Others are found from the result, or from its sign.
constexpr bool needs_argument(LayerActivation activation) {
  return activation == LayerActivation::silu || activation == LayerActivation::sine ||
         activation == LayerActivation::squareplus || activation == LayerActivation::softplus;
}

/// results = activation(arguments), for `count` floats; both may be the same.
inline void activate_all(LayerActivation activation, const float* arguments, std::size_t count,
                         float* results) {
  visit_activation(activation, [&]<LayerActivation ACTIVATION>() {
    for (std::size_t i = 0; i < count; i += kLanes) {
      store(activate<ACTIVATION>(load(arguments + i)), results + i);
    }
  });
}

/// d = dL/darguments, from dL/dresults in `d`. `arguments` may be `results` unless the activation
/// needs arguments.
inline void activate_all_vjp(LayerActivation activation, const float* arguments,
                             const float* results, std::size_t count, float* d) {
  visit_activation(activation, [&]<LayerActivation ACTIVATION>() {
    for (std::size_t i = 0; i < count; i += kLanes) {
      store(activate_vjp<ACTIVATION>(load(arguments + i), load(results + i), load(d + i)), d + i);
    }
  });
}

/// Offsets of the rows of neighbouring samples in a panel.
inline constexpr std::uint32_t kRowOffsets[16] = {
    0 * kPanel,  1 * kPanel,  2 * kPanel,  3 * kPanel, 4 * kPanel,  5 * kPanel,
    6 * kPanel,  7 * kPanel,  8 * kPanel,  9 * kPanel, 10 * kPanel, 11 * kPanel,
    12 * kPanel, 13 * kPanel, 14 * kPanel, 15 * kPanel};

/// Reads planes [features][stride] into panels. Rows from `samples` on are zero.
inline void load_planes(const float* planes, std::size_t stride, std::size_t features,
                        std::size_t samples, float* to) {
  for (std::size_t f = 0; f < features; f += 4) {
    const float* plane = planes + f * stride;
    float* own = to + feature_offset(f);
    for (std::size_t s = 0; s < samples; s += kLanes) {
      store_quads({load(plane + s), load(plane + stride + s), load(plane + 2 * stride + s),
                   load(plane + 3 * stride + s)},
                  own + s * kPanel, kRowOffsets);
    }
  }
  if (samples == kTile) return;
  for (std::size_t f = 0; f < features; f += kPanel) {
    std::memset(to + feature_offset(f) + samples * kPanel, 0,
                (kTile - samples) * kPanel * sizeof(float));
  }
}

/// Writes panels to planes, as whole packs of 16 samples.
inline void store_planes(const float* from, std::size_t features, std::size_t samples,
                         std::size_t stride, float* planes) {
  for (std::size_t f = 0; f < features; f += 4) {
    float* plane = planes + f * stride;
    const float* own = from + feature_offset(f);
    for (std::size_t s = 0; s < samples; s += kLanes) {
      const PackQuad quad = load_quads(own + s * kPanel, kRowOffsets);
      store(quad.first, plane + s);
      store(quad.second, plane + stride + s);
      store(quad.third, plane + 2 * stride + s);
      store(quad.fourth, plane + 3 * stride + s);
    }
  }
}

constexpr std::size_t panel_floats(int features) {
  return static_cast<std::size_t>(features) * kTile;
}

inline std::size_t weight_count(const MlpLayer* layers, int layer_count) {
  const MlpLayer& last = layers[layer_count - 1];
  return last.first +
         static_cast<std::size_t>(last.inputs) * static_cast<std::size_t>(last.outputs);
}

/// to [inputs][outputs] = matrix [outputs][inputs].
inline void transpose_matrix(const float* matrix, std::size_t outputs, std::size_t inputs,
                             float* to) {
  std::uint32_t rows[kLanes];
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    rows[lane] = static_cast<std::uint32_t>(lane * inputs);
  }
  for (std::size_t o = 0; o < outputs; o += kLanes) {
    for (std::size_t i = 0; i < inputs; i += 4) {
      const PackQuad quad = load_quads(matrix + o * inputs + i, rows);
      float* own = to + i * outputs + o;
      store(quad.first, own);
      store(quad.second, own + outputs);
      store(quad.third, own + 2 * outputs);
      store(quad.fourth, own + 3 * outputs);
    }
  }
}

/// The same for the matrices of all layers.
inline void transpose_weights(const MlpLayer* layers, int layer_count, const float* weights,
                              float* to) {
  for (int l = 0; l < layer_count; ++l) {
    transpose_matrix(weights + layers[l].first, static_cast<std::size_t>(layers[l].outputs),
                     static_cast<std::size_t>(layers[l].inputs), to + layers[l].first);
  }
}

/// Calls visit(first, samples) for the tiles of the samples [begin, end).
template <class Visit>
void for_each_tile(std::size_t begin, std::size_t end, const Visit& visit) {
  for (std::size_t at = begin; at < end; at += kTile) {
    visit(at, end - at < kTile ? end - at : kTile);
  }
}

}  // namespace mote::MOTE_ISA
