// Multilayer perceptrons for tiles of positions. A tile goes through all layers while its values
// are in L1 and L2. Compiled once per instruction set.

#include "cpu/isa_kernels.h"
#include "cpu/mlp_tile.h"

namespace mote::MOTE_ISA {
namespace {

std::size_t widest_layer(const MlpLayer* layers, int layer_count) {
  int width = layers[0].inputs;
  for (int l = 0; l < layer_count; ++l) {
    width = layers[l].outputs > width ? layers[l].outputs : width;
  }
  return panel_floats(width);
}

/// The matrices and the values of a tile in a call of mlp_forward().
class ForwardTiles {
 public:
  explicit ForwardTiles(const MlpParams& params)
      : params_(params),
        memory_(weight_count(params.layers, params.layer_count) +
                2 * widest_layer(params.layers, params.layer_count)),
        matrices_(memory_.take(weight_count(params.layers, params.layer_count))),
        values_{memory_.take(widest_layer(params.layers, params.layer_count)),
                memory_.take(widest_layer(params.layers, params.layer_count))} {
    transpose_weights(params.layers, params.layer_count, params.weights, matrices_);
  }

  void run(std::size_t at, std::size_t positions) {
    const std::size_t stride = params_.stride;
    float *from = values_[0], *to = values_[1];
    load_planes(params_.input + at, stride, static_cast<std::size_t>(params_.layers[0].inputs),
                positions, from);
    float* arguments = params_.arguments == nullptr ? nullptr : params_.arguments + at;
    for (int l = 0; l < params_.layer_count; ++l) {
      const MlpLayer& layer = params_.layers[l];
      const auto outputs = static_cast<std::size_t>(layer.outputs);
      const TileProduct product{matrices_ + layer.first,
                                outputs,
                                static_cast<std::size_t>(layer.inputs),
                                outputs,
                                from,
                                to,
                                nullptr};
      if (layer.activation == LayerActivation::relu && arguments == nullptr) {
        multiply<Finish::relu>(product);
      } else {
        multiply<Finish::none>(product);
        if (arguments != nullptr) {
          store_planes(to, outputs, positions, stride, arguments);
          arguments += outputs * stride;
        }
        activate_all(layer.activation, to, panel_floats(layer.outputs), to);
      }
      float* free = from;
      from = to;
      to = free;
    }
    const MlpLayer& last = params_.layers[params_.layer_count - 1];
    store_planes(from, static_cast<std::size_t>(last.outputs), positions, stride,
                 params_.output + at);
  }

 private:
  const MlpParams& params_;
  TileMemory memory_;
  float* matrices_;  // [inputs][outputs] of each layer
  float* values_[2];
};

/// The same for mlp_backward().
class BackwardTiles {
 public:
  explicit BackwardTiles(const MlpBackwardParams& params)
      : params_(params),
        memory_(weight_count(params.layers, params.layer_count) +
                4 * widest_layer(params.layers, params.layer_count)),
        matrices_(memory_.take(weight_count(params.layers, params.layer_count))) {
    for (int l = 0; l < params.layer_count; ++l) {
      const MlpLayer& layer = params.layers[l];
      transpose_matrix(params.transposed + layer.first, static_cast<std::size_t>(layer.inputs),
                       static_cast<std::size_t>(layer.outputs), matrices_ + layer.first);
      all_outputs_ += static_cast<std::size_t>(layer.outputs);
    }
    const std::size_t width = widest_layer(params.layers, params.layer_count);
    for (float** place : {&d_, &other_, &arguments_, &values_}) *place = memory_.take(width);
  }

  void run(std::size_t at, std::size_t positions) {
    const MlpLayer& last = params_.layers[params_.layer_count - 1];
    const auto outputs = static_cast<std::size_t>(last.outputs);
    load_planes(params_.d_output + at, params_.stride, outputs, positions, d_);
    const float* arguments = params_.arguments + (all_outputs_ - outputs) * params_.stride + at;
    activate(last.activation, outputs, arguments, positions);
    activate_all_vjp(last.activation, arguments_, values_, outputs * kTile, d_);
    for (int l = params_.layer_count - 1; l > 0; --l) {
      const auto inputs = static_cast<std::size_t>(params_.layers[l].inputs);
      arguments -= inputs * params_.stride;
      const LayerActivation before = params_.layers[l - 1].activation;
      activate(before, inputs, arguments, positions);
      add_gradient(l);
      if (before == LayerActivation::relu) {
        multiply<Finish::relu_vjp>(to_inputs(l));
      } else {
        multiply<Finish::none>(to_inputs(l));
        activate_all_vjp(before, arguments_, values_, inputs * kTile, other_);
      }
      float* free = d_;
      d_ = other_;
      other_ = free;
    }
    const auto inputs = static_cast<std::size_t>(params_.layers[0].inputs);
    load_planes(params_.input + at, params_.stride, inputs, positions, values_);
    add_gradient(0);
    if (params_.d_input == nullptr) return;
    multiply<Finish::none>(to_inputs(0));
    store_planes(other_, inputs, positions, params_.stride, params_.d_input + at);
  }

 private:
  /// Reads arguments from planes, and evaluates the activation.
  void activate(LayerActivation activation, std::size_t count, const float* planes,
                std::size_t positions) {
    load_planes(planes, params_.stride, count, positions, arguments_);
    activate_all(activation, arguments_, count * kTile, values_);
  }

  void add_gradient(int l) {
    const MlpLayer& layer = params_.layers[l];
    add_all_products({d_, values_, static_cast<std::size_t>(layer.outputs),
                      static_cast<std::size_t>(layer.inputs), params_.d_weights + layer.first});
  }

  /// The gradient of a layer's inputs.
  TileProduct to_inputs(int l) const {
    const MlpLayer& layer = params_.layers[l];
    const auto inputs = static_cast<std::size_t>(layer.inputs);
    return {matrices_ + layer.first,
            inputs,
            static_cast<std::size_t>(layer.outputs),
            inputs,
            d_,
            other_,
            values_};
  }

  const MlpBackwardParams& params_;
  TileMemory memory_;
  float* matrices_;  // [outputs][inputs] of each layer
  std::size_t all_outputs_ = 0;
  float *d_ = nullptr, *other_ = nullptr, *arguments_ = nullptr, *values_ = nullptr;
};

}  // namespace

void mlp_forward(const MlpParams& params, std::size_t begin, std::size_t end) {
  ForwardTiles tiles(params);
  for_each_tile(begin, end,
                [&](std::size_t at, std::size_t positions) { tiles.run(at, positions); });
}

void mlp_backward(const MlpBackwardParams& params, std::size_t begin, std::size_t end) {
  BackwardTiles tiles(params);
  for_each_tile(begin, end,
                [&](std::size_t at, std::size_t positions) { tiles.run(at, positions); });
}

}  // namespace mote::MOTE_ISA
