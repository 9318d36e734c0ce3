#pragma once

// The values of all layers of a warp's samples in shared memory, for the backward pass.

#include "cuda/kernels/fields/network_gradients.h"
#include "cuda/kernels/fields/network_layers.h"

namespace mote::cuda {

/// Places of a warp's layers in its shared memory, in words of a lane.
struct LayerWords {
  int inputs, hidden, arguments, outputs, total;
};

MOTE_LANE LayerWords layer_words(const NetworkShape& shape, int rows) {
  const int of_layer = 4 * rows * shape.width_blocks;
  LayerWords words{};
  words.hidden = 4 * rows * shape.input_blocks;
  words.arguments = words.hidden + shape.hidden_layers * of_layer;
  // Derivatives of the simple activations follow from the values.
  words.outputs =
      words.arguments + (is_simple(shape.activation) ? 0 : shape.hidden_layers * of_layer);
  const bool is_plain = shape.output_activation == LayerActivation::none;
  words.total = words.outputs + (is_plain ? 4 : 16) * rows;
  return words;
}

/// A warp's layers.
template <int WIDTH>
class KeptLayers {
 public:
  static constexpr int kOwnRows = kRows<WIDTH>, kBlocks = WIDTH / kBlockValues;
  static constexpr int kWords = 4 * kOwnRows * kBlocks;

  MOTE_MEMBER KeptLayers(const NetworkShape& shape, unsigned* words)
      : places_(layer_words(shape, kOwnRows)), words_(words) {}

  /// The layers of another warp of the block.
  MOTE_MEMBER KeptLayers of_warp(unsigned warp) const {
    KeptLayers other = *this;
    const auto own = threadIdx.x / kWarp;
    other.words_ += (static_cast<int>(warp) - static_cast<int>(own)) * places_.total * kWarp;
    return other;
  }
  MOTE_MEMBER unsigned* inputs() const { return words_; }
  MOTE_MEMBER unsigned* hidden(int layer) const { return at(places_.hidden + layer * kWords); }
  MOTE_MEMBER unsigned* arguments(int layer) const {
    return at(places_.arguments + layer * kWords);
  }
  MOTE_MEMBER unsigned* outputs() const { return at(places_.outputs); }

 private:
  MOTE_MEMBER unsigned* at(int word) const { return words_ + word * kWarp; }

  LayerWords places_;
  unsigned* words_;
};

/// Keeps the values of a hidden layer, after its activation.
template <int WIDTH>
MOTE_DEVICE void keep_layer(const NetworkShape& shape, const KeptLayers<WIDTH>& kept, int layer,
                            Hidden<WIDTH>& values) {
  store_values(values, kept.hidden(layer));
  if (is_simple(shape.activation)) return;
  store_values(values, kept.arguments(layer));
  activate_words(shape.activation, kept.hidden(layer), KeptLayers<WIDTH>::kWords);
  load_values(kept.hidden(layer), values);
}

/// The gradients of a warp's outputs from `first_sample` on, times the loss scale. `count`: of all
/// samples, beyond which there are none.
template <int ROWS>
MOTE_DEVICE void load_output_gradients(const NetworkGradientArgs& args, unsigned count,
                                       unsigned first_sample, BlockSums<ROWS>& d) {
  for_each_sum(d, [&](float& own, int row, int output) {
    const unsigned sample = first_sample + static_cast<unsigned>(row);
    const bool is_value = output < args.forward.outputs && sample < count;
    const std::size_t at = static_cast<std::size_t>(output) * args.forward.stride + sample;
    own = is_value ? args.loss_scale * args.d_values[at] : 0.0f;
  });
}

/// Evaluates all hidden layers of the warp's samples, from `first_sample` on. `count`: of all
/// samples.
template <int WIDTH>
MOTE_DEVICE void keep_layers(const NetworkArgs& args, unsigned count, const uint4* weights,
                             unsigned first_sample, const KeptLayers<WIDTH>& kept,
                             Hidden<WIDTH>& values) {
  constexpr int kOwnRows = kRows<WIDTH>;
  const unsigned lane = threadIdx.x % kWarp;
  const auto pair = [&](int plane, unsigned sample) -> unsigned {
    if (plane >= args.planes || sample >= count) return 0;
    return args.features[static_cast<std::size_t>(plane) * args.stride + sample];
  };
  first_layer<WIDTH>(
      args.shape, weights,
      [&](int block, uint4(&in)[kOwnRows]) {
        const int plane = 8 * block + static_cast<int>(lane % 4);
        MOTE_UNROLL
        for (int row = 0; row < kOwnRows; ++row) {
          const unsigned sample = first_sample + 16 * static_cast<unsigned>(row) + lane / 4;
          in[row] = {pair(plane, sample), pair(plane, sample + 8), pair(plane + 4, sample),
                     pair(plane + 4, sample + 8)};
          const LayerValues<1, 1> own{{{in[row]}}};
          store_values(own, kept.inputs() + 4 * (row * args.shape.input_blocks + block) * kWarp);
        }
      },
      values);
  keep_layer(args.shape, kept, 0, values);
  for (int layer = 1; layer < args.shape.hidden_layers; ++layer) {
    Hidden<WIDTH> next;
    hidden_layer<WIDTH>(args.shape.activation,
                        weights + layer_blocks(args.shape, layer).first * kBlockLanes, values,
                        next);
    values = next;
    keep_layer(args.shape, kept, layer, values);
  }
}

}  // namespace mote::cuda
