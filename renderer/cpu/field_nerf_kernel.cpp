// Both networks of a NeRF for tiles of samples. A tile goes through all layers, and back, while its
// values are in L1 and L2. Compiled once per instruction set.
//
// Values between the networks, and those that the gradients need, are never stored to memory. A
// sample's values depend on no other sample: the order of its sums is that of the inputs.

#include "cpu/isa_kernels.h"
#include "cpu/nerf_tile.h"

namespace mote::MOTE_ISA {
namespace {

/// A network and its values in a tile. Values and arguments of the layers follow each other; those
/// of the last layer are elsewhere.
struct TileNetwork {
  const MlpLayer* layers;
  std::size_t layer_count;
  const float* weights;   // [outputs][inputs] of each layer
  const float* matrices;  // [inputs][outputs] of each layer, in the same places
  const float* quad;      // of the last layer, for multiply_quad()
  float* input;           // panels
  float *values, *arguments;

  const MlpLayer& last() const { return layers[layer_count - 1]; }
};

/// Number of floats of the inputs of all layers but the first.
std::size_t hidden_floats(const MlpLayer* layers, int layer_count) {
  std::size_t floats = 0;
  for (int l = 1; l < layer_count; ++l) floats += panel_floats(layers[l].inputs);
  return floats;
}

/// results = the layer's outputs. `arguments` is written if the layer's derivative needs it.
void evaluate_layer(const MlpLayer& layer, const float* matrices, const float* from,
                    float* arguments, float* results) {
  const auto inputs = static_cast<std::size_t>(layer.inputs);
  const auto outputs = static_cast<std::size_t>(layer.outputs);
  float* sums = needs_argument(layer.activation) ? arguments : results;
  const TileProduct product{matrices + layer.first, outputs, inputs, outputs, from, sums, nullptr};
  if (layer.activation == LayerActivation::relu) {
    multiply<Finish::relu>(product);
    return;
  }
  multiply<Finish::none>(product);
  if (layer.activation != LayerActivation::none) {
    activate_all(layer.activation, sums, panel_floats(layer.outputs), results);
  }
}

/// Evaluates all layers but the last, and returns the last one's input.
const float* evaluate_hidden(const TileNetwork& network) {
  const float* from = network.input;
  std::size_t place = 0;
  for (std::size_t l = 0; l + 1 < network.layer_count; ++l) {
    float* results = network.values + place;
    evaluate_layer(network.layers[l], network.matrices, from, network.arguments + place, results);
    place += panel_floats(network.layers[l].outputs);
    from = results;
  }
  return from;
}

/// Two places for gradients; the first has dL/doutputs of a network before its backward pass.
struct TileGradients {
  float *own, *other;
};

/// Adds the gradient of a network's weights, from that of the arguments of its first `outputs`
/// outputs. Writes that of its first `columns` inputs to `d_input`.
void backward_network(const TileNetwork& network, TileGradients d, std::size_t outputs,
                      float* d_weights, std::size_t columns, float* d_input) {
  std::size_t place = hidden_floats(network.layers, static_cast<int>(network.layer_count));
  for (std::size_t l = network.layer_count - 1; l > 0; --l) {
    const MlpLayer& layer = network.layers[l];
    const auto inputs = static_cast<std::size_t>(layer.inputs);
    place -= panel_floats(layer.inputs);
    const float* from = network.values + place;
    add_all_products({d.own, from, outputs, inputs, d_weights + layer.first});
    const TileProduct product{
        network.weights + layer.first, inputs, outputs, inputs, d.own, d.other, from};
    const LayerActivation before = network.layers[l - 1].activation;
    if (before == LayerActivation::relu) {
      multiply<Finish::relu_vjp>(product);
    } else {
      multiply<Finish::none>(product);
      const float* arguments = needs_argument(before) ? network.arguments + place : from;
      activate_all_vjp(before, arguments, from, panel_floats(layer.inputs), d.other);
    }
    d = {d.other, d.own};
    outputs = inputs;
  }
  const MlpLayer& layer = network.layers[0];
  const auto inputs = static_cast<std::size_t>(layer.inputs);
  add_all_products({d.own, network.input, outputs, inputs, d_weights + layer.first});
  multiply<Finish::none>(
      {network.weights + layer.first, inputs, outputs, columns, d.own, d_input, nullptr});
}

/// The networks of a call and the memory of its tiles.
class NerfTiles {
 public:
  /// With null, the transposed weights are made here.
  NerfTiles(const NerfNetworkParams& params, const float* density_transposed,
            const float* color_transposed)
      : params_(params), memory_(floats_for(params)) {
    const bool colored = params.color_layers != nullptr;
    density_ = network(params.density_layers, params.density_layer_count, params.density_weights,
                       density_transposed);
    if (colored) {
      color_ = network(params.color_layers, params.color_layer_count, params.color_weights,
                       color_transposed);
    }
    const std::size_t width = panel_floats(widest_layer(params));
    d_ = {memory_.take(width), memory_.take(width)};
    d_input_ = memory_.take(width);
    density_arguments_ = memory_.take(panel_floats(density_.last().outputs));
    outputs_ = memory_.take(kOutputQuad * kTile);
    d_outputs_ = memory_.take(kOutputQuad * kTile);
  }

  /// Values of the tile of `samples` samples from `at` on.
  void forward(std::size_t at, std::size_t samples) {
    evaluate(at, samples);
    if (color_.layers == nullptr) {
      write_outputs(density_, params_.outputs, params_.raw + at, samples);
      return;
    }
    for (std::size_t s = 0; s < samples; ++s) params_.raw[at + s] = color_.input[s * kPanel];
    write_outputs(color_, kRawColors, params_.raw + params_.stride + at, samples);
  }

  /// Gradients of that tile.
  void backward(const NerfNetworkBackwardParams& params, std::size_t at, std::size_t samples) {
    evaluate(at, samples);
    const float* d_raw = params.d_raw + at;
    const auto inputs = static_cast<std::size_t>(density_.layers[0].inputs);
    std::size_t density_outputs = kOutputQuad;
    if (color_.layers == nullptr) {
      read_output_gradients(density_, params_.outputs, d_raw, samples);
    } else {
      read_output_gradients(color_, kRawColors, d_raw + params_.stride, samples);
      density_outputs = static_cast<std::size_t>(density_.last().outputs);
      const std::size_t wanted = differentiated_inputs(
          params, density_outputs, static_cast<std::size_t>(color_.layers[0].inputs));
      backward_network(color_, d_, kOutputQuad, params.d_color_weights, wanted, d_input_);
      store_color_inputs(params, d_input_, at, samples);
      for (std::size_t s = 0; s < samples; ++s) d_input_[s * kPanel] += d_raw[s];
      const LayerActivation activation = density_.last().activation;
      const float* arguments = needs_argument(activation) ? density_arguments_ : color_.input;
      activate_all_vjp(activation, arguments, color_.input, density_outputs * kTile, d_input_);
      const TileGradients swapped{d_input_, d_.own};
      d_input_ = d_.other;
      d_ = swapped;
    }
    backward_network(density_, d_, density_outputs, params.d_density_weights, inputs, d_input_);
    store_planes(d_input_, inputs, samples, params_.stride, params.d_features + at);
  }

 private:
  static std::size_t floats_for(const NerfNetworkParams& params) {
    const auto of = [](const MlpLayer* layers, int count) {
      if (layers == nullptr) return std::size_t{0};
      const auto quad = kOutputQuad * static_cast<std::size_t>(layers[count - 1].inputs);
      return weight_count(layers, count) + quad + panel_floats(layers[0].inputs) +
             2 * hidden_floats(layers, count);
    };
    return of(params.density_layers, params.density_layer_count) +
           of(params.color_layers, params.color_layer_count) +
           3 * panel_floats(widest_layer(params)) +
           panel_floats(params.density_layers[params.density_layer_count - 1].outputs) +
           2 * kOutputQuad * kTile;
  }

  TileNetwork network(const MlpLayer* layers, int layer_count, const float* weights,
                      const float* transposed) {
    const MlpLayer& last = layers[layer_count - 1];
    const auto inputs = static_cast<std::size_t>(last.inputs);
    if (transposed == nullptr) {
      float* made = memory_.take(weight_count(layers, layer_count));
      transpose_weights(layers, layer_count, weights, made);
      transposed = made;
    }
    float* quad = memory_.take(kOutputQuad * inputs);
    pack_quad(weights + last.first, inputs, quad);
    const std::size_t hidden = hidden_floats(layers, layer_count);
    float* input = memory_.take(panel_floats(layers[0].inputs));
    return {layers,
            static_cast<std::size_t>(layer_count),
            weights,
            transposed,
            quad,
            input,
            memory_.take(hidden),
            memory_.take(hidden)};
  }

  /// Evaluates the networks up to the last layer, whose inputs are in `hidden_`.
  void evaluate(std::size_t at, std::size_t samples) {
    load_planes(params_.features + at, params_.stride,
                static_cast<std::size_t>(density_.layers[0].inputs), samples, density_.input);
    hidden_ = evaluate_hidden(density_);
    if (color_.layers == nullptr) return;
    evaluate_layer(density_.last(), density_.matrices, hidden_, density_arguments_, color_.input);
    load_directions(params_, at, samples, static_cast<std::size_t>(density_.last().outputs),
                    color_.input);
    hidden_ = evaluate_hidden(color_);
  }

  /// Writes the first `rows` outputs of a network, at most four, to planes.
  void write_outputs(const TileNetwork& network, std::size_t rows, float* planes,
                     std::size_t samples) {
    const auto inputs = static_cast<std::size_t>(network.last().inputs);
    multiply_quad(network.quad, inputs, hidden_, outputs_);
    activate_all(network.last().activation, outputs_, rows * kTile, outputs_);
    write_rows(outputs_, rows, samples, params_.stride, planes);
  }

  /// The gradient of the arguments of a network's first four outputs, from planes of that of the
  /// first `rows` outputs. The others have none.
  void read_output_gradients(const TileNetwork& network, std::size_t rows, const float* planes,
                             std::size_t samples) {
    read_rows(planes, params_.stride, rows, samples, d_outputs_);
    const LayerActivation activation = network.last().activation;
    if (activation != LayerActivation::none) {
      const auto inputs = static_cast<std::size_t>(network.last().inputs);
      alignas(64) float results[kOutputQuad * kTile];
      multiply_quad(network.quad, inputs, hidden_, outputs_);
      activate_all(activation, outputs_, kOutputQuad * kTile, results);
      activate_all_vjp(activation, outputs_, results, kOutputQuad * kTile, d_outputs_);
    }
    load_planes(d_outputs_, kTile, kOutputQuad, kTile, d_.own);
  }

  const NerfNetworkParams& params_;
  TileMemory memory_;
  TileNetwork density_{}, color_{};
  TileGradients d_{};
  float* d_input_;
  float* density_arguments_;     // of the density network's outputs
  float *outputs_, *d_outputs_;  // [kOutputQuad][kTile]
  const float* hidden_ = nullptr;
};

}  // namespace

void nerf_forward(const NerfNetworkParams& params, std::size_t begin, std::size_t end) {
  NerfTiles tiles(params, nullptr, nullptr);
  for_each_tile(begin, end,
                [&](std::size_t at, std::size_t samples) { tiles.forward(at, samples); });
}

void nerf_backward(const NerfNetworkBackwardParams& params, std::size_t begin, std::size_t end) {
  NerfTiles tiles(params.forward, params.density_transposed, params.color_transposed);
  for_each_tile(begin, end,
                [&](std::size_t at, std::size_t samples) { tiles.backward(params, at, samples); });
}

}  // namespace mote::MOTE_ISA
