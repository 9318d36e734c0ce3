// Multilayer perceptrons for tiles of positions. A tile goes through all layers while its values
// are in L1. Compiled once per instruction set.
//
// A lane is a position in products with activations, so that weights are broadcast. In the products
// that give the gradient of the weights, a lane is an input, so that no sum crosses lanes.

#include "cpu/isa_kernels.h"
#include "lanes/pack.h"

namespace mote::MOTE_ISA {
namespace {

constexpr std::size_t kLanes = kPackLanes;
constexpr int kTilePacks = 3;                             // of positions
constexpr std::size_t kTile = kTilePacks * kLanes;        // positions
constexpr int kRows = kPackLanes == 16 ? 8 : 4;           // outputs at once, in registers
constexpr int kGradientRows = kPackLanes == 16 ? 8 : 4;   // the same for the weights' gradient
constexpr int kGradientPacks = kPackLanes == 16 ? 3 : 2;  // of inputs
constexpr std::size_t kWidth = kMostMlpWidth;

/// Values of a tile: row r of the planes at data + r * stride.
struct Rows {
  float* data;
  std::size_t stride;
};
struct ConstRows {
  const float* data;
  std::size_t stride;

  MOTE_LANE ConstRows(const float* values, std::size_t apart) : data(values), stride(apart) {}
  MOTE_LANE ConstRows(Rows rows) : data(rows.data), stride(rows.stride) {}
};

/// to = matrix [outputs][inputs] * from, for PACKS packs of positions.
template <int PACKS>
MOTE_LANE void multiply(const float* matrix, int outputs, int inputs, ConstRows from, Rows to) {
  for (int first = 0; first < outputs; first += kRows) {
    Pack sum[kRows][PACKS];
    const float* rows = matrix + static_cast<std::size_t>(first) * static_cast<std::size_t>(inputs);
    for (std::size_t i = 0; i < static_cast<std::size_t>(inputs); ++i) {
      Pack x[PACKS];
      for (std::size_t p = 0; p < PACKS; ++p) x[p] = load(from.data + i * from.stride + p * kLanes);
      for (std::size_t r = 0; r < kRows; ++r) {
        const Pack weight(rows[r * static_cast<std::size_t>(inputs) + i]);
        for (int p = 0; p < PACKS; ++p) sum[r][p] = fma(weight, x[p], sum[r][p]);
      }
    }
    for (std::size_t r = 0; r < kRows; ++r) {
      float* row = to.data + (static_cast<std::size_t>(first) + r) * to.stride;
      for (std::size_t p = 0; p < PACKS; ++p) store(sum[r][p], row + p * kLanes);
    }
  }
}

/// to = activation(arguments), for `count` rows.
template <int PACKS>
MOTE_LANE void activate_rows(LayerActivation activation, int count, ConstRows arguments, Rows to) {
  visit_activation(activation, [&]<LayerActivation ACTIVATION>() {
    for (std::size_t r = 0; r < static_cast<std::size_t>(count); ++r) {
      for (std::size_t p = 0; p < PACKS; ++p) {
        const Pack x = load(arguments.data + r * arguments.stride + p * kLanes);
        store(activate<ACTIVATION>(x), to.data + r * to.stride + p * kLanes);
      }
    }
  });
}

/// d = dL/darguments, from dL/dresults in `d`.
template <int PACKS>
MOTE_LANE void activate_rows_vjp(LayerActivation activation, int count, ConstRows arguments,
                                 Rows d) {
  visit_activation(activation, [&]<LayerActivation ACTIVATION>() {
    for (std::size_t r = 0; r < static_cast<std::size_t>(count); ++r) {
      for (std::size_t p = 0; p < PACKS; ++p) {
        const Pack x = load(arguments.data + r * arguments.stride + p * kLanes);
        float* own = d.data + r * d.stride + p * kLanes;
        store(activate_vjp<ACTIVATION>(x, activate<ACTIVATION>(x), load(own)), own);
      }
    }
  });
}

template <int PACKS>
void forward_tile(const MlpParams& params, std::size_t at) {
  alignas(64) float values[2][kWidth * kTile];
  ConstRows from(params.input + at, params.stride);
  float* arguments = params.arguments == nullptr ? nullptr : params.arguments + at;
  for (int l = 0; l < params.layer_count; ++l) {
    const MlpLayer& layer = params.layers[l];
    const bool last = l + 1 == params.layer_count;
    const Rows to = last ? Rows{params.output + at, params.stride} : Rows{values[l % 2], kTile};
    const Rows sums = arguments == nullptr ? to : Rows{arguments, params.stride};
    multiply<PACKS>(params.weights + layer.first, layer.outputs, layer.inputs, from, sums);
    activate_rows<PACKS>(layer.activation, layer.outputs, sums, to);
    if (arguments != nullptr) arguments += static_cast<std::size_t>(layer.outputs) * params.stride;
    from = to;
  }
}

/// Writes the rows with the inputs of a position beside each other: to[position][inputs].
template <int PACKS>
MOTE_LANE void transpose(int inputs, ConstRows from, float* to) {
  const hn::CappedTag<float, 4> quad;
  alignas(64) float four[4 * kLanes];
  for (std::size_t i = 0; i < static_cast<std::size_t>(inputs); i += 4) {
    for (std::size_t p = 0; p < PACKS; ++p) {
      const float* rows = from.data + i * from.stride + p * kLanes;
      hn::StoreInterleaved4(load(rows).value, load(rows + from.stride).value,
                            load(rows + 2 * from.stride).value, load(rows + 3 * from.stride).value,
                            PackTag(), four);
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        float* position = to + (p * kLanes + lane) * static_cast<std::size_t>(inputs) + i;
        hn::Store(hn::Load(quad, four + 4 * lane), quad, position);
      }
    }
  }
}

/// matrix [outputs][inputs] += d * values^T, for the positions of a tile and PACKS packs of inputs
/// from `input` on. `values`: [position][inputs].
template <int PACKS>
MOTE_LANE void add_products(ConstRows d, const float* values, std::size_t positions, int outputs,
                            int inputs, std::size_t input, float* matrix) {
  const auto width = static_cast<std::size_t>(inputs);
  for (std::size_t first = 0; first < static_cast<std::size_t>(outputs); first += kGradientRows) {
    Pack sum[kGradientRows][PACKS];
    for (std::size_t s = 0; s < positions; ++s) {
      Pack x[PACKS];
      for (std::size_t p = 0; p < PACKS; ++p) x[p] = load(values + s * width + input + p * kLanes);
      for (std::size_t r = 0; r < kGradientRows; ++r) {
        const Pack own(d.data[(first + r) * d.stride + s]);
        for (int p = 0; p < PACKS; ++p) sum[r][p] = fma(own, x[p], sum[r][p]);
      }
    }
    for (std::size_t r = 0; r < kGradientRows; ++r) {
      for (std::size_t p = 0; p < PACKS; ++p) {
        float* own = matrix + (first + r) * width + input + p * kLanes;
        store(load(own) + sum[r][p], own);
      }
    }
  }
}

/// The same for all inputs.
MOTE_LANE void add_all_products(ConstRows d, const float* values, std::size_t positions,
                                int outputs, int inputs, float* matrix) {
  std::size_t input = 0;
  for (std::size_t left = static_cast<std::size_t>(inputs) / kLanes; left > 0;) {
    if (left >= kGradientPacks && left != 4) {
      add_products<kGradientPacks>(d, values, positions, outputs, inputs, input, matrix);
      input += kGradientPacks * kLanes;
      left -= kGradientPacks;
    } else if (left >= 2) {
      add_products<2>(d, values, positions, outputs, inputs, input, matrix);
      input += 2 * kLanes;
      left -= 2;
    } else {
      add_products<1>(d, values, positions, outputs, inputs, input, matrix);
      input += kLanes;
      --left;
    }
  }
}

template <int PACKS>
void backward_tile(const MlpBackwardParams& params, std::size_t at) {
  alignas(64) float gradients[2][kWidth * kTile];
  alignas(64) float inputs[kWidth * kTile], by_position[kWidth * kTile];
  const float* arguments = params.arguments + at;
  for (int l = 0; l < params.layer_count; ++l) {
    arguments += static_cast<std::size_t>(params.layers[l].outputs) * params.stride;
  }
  Rows d{gradients[0], kTile};
  const MlpLayer& output = params.layers[params.layer_count - 1];
  activate_rows<PACKS>(LayerActivation::none, output.outputs, {params.d_output + at, params.stride},
                       d);
  for (int l = params.layer_count - 1; l >= 0; --l) {
    const MlpLayer& layer = params.layers[l];
    arguments -= static_cast<std::size_t>(layer.outputs) * params.stride;
    activate_rows_vjp<PACKS>(layer.activation, layer.outputs, {arguments, params.stride}, d);
    ConstRows from(params.input + at, params.stride);
    if (l > 0) {
      const MlpLayer& before = params.layers[l - 1];
      const float* own = arguments - static_cast<std::size_t>(before.outputs) * params.stride;
      const Rows to{inputs, kTile};
      activate_rows<PACKS>(before.activation, before.outputs, {own, params.stride}, to);
      from = to;
    }
    transpose<PACKS>(layer.inputs, from, by_position);
    add_all_products(d, by_position, PACKS * kLanes, layer.outputs, layer.inputs,
                     params.d_weights + layer.first);
    if (l == 0 && params.d_input == nullptr) return;
    const int other = d.data == gradients[0] ? 1 : 0;
    const Rows to =
        l == 0 ? Rows{params.d_input + at, params.stride} : Rows{gradients[other], kTile};
    multiply<PACKS>(params.transposed + layer.first, layer.inputs, layer.outputs, d, to);
    d = to;
  }
}

/// Calls visit<PACKS>(position) for the tiles of the positions [begin, end).
template <class Visit>
void for_each_tile(std::size_t begin, std::size_t end, const Visit& visit) {
  std::size_t at = begin;
  for (; at + 2 * kLanes < end; at += kTile) visit.template operator()<kTilePacks>(at);
  for (; at < end; at += kLanes) visit.template operator()<1>(at);
}

}  // namespace

void mlp_forward(const MlpParams& params, std::size_t begin, std::size_t end) {
  for_each_tile(begin, end, [&]<int PACKS>(std::size_t at) { forward_tile<PACKS>(params, at); });
}

void mlp_backward(const MlpBackwardParams& params, std::size_t begin, std::size_t end) {
  for_each_tile(begin, end, [&]<int PACKS>(std::size_t at) { backward_tile<PACKS>(params, at); });
}

}  // namespace mote::MOTE_ISA
