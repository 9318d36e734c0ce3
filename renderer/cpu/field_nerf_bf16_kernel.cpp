// Both networks of a NeRF as in field_nerf_kernel.cpp, with the factors of all products in BF16.
// Compiled for AVX-512 with AVX512_BF16, and once more for processors with a matrix unit (AMX).
// Networks with other hidden activations than ReLU are computed with floats.
//
// A factor has a relative error of at most 2^-9. Sums, the raw values and the gradients of weights
// and features are floats.

#include "cpu/isa_bf16.h"
#include "cpu/mlp_tile_bf16.h"
#include "cpu/nerf_tile.h"
#ifdef __AMX_BF16__
#include "cpu/mlp_tile_amx.h"
#endif

namespace mote::MOTE_ISA {
namespace {

#ifdef __AMX_BF16__
using Products = MatrixUnit;
#else
using Products = VectorProducts;
#endif

/// A network and its values in a tile.
struct Bf16Network {
  const MlpLayer* layers;
  std::size_t layer_count;
  const Bf16* matrices;    // of each layer, in the places of the weights; see convert_matrix()
  const Bf16* transposed;  // for the gradients of inputs; null: not wanted
  const Bf16* quad;        // of the last layer
  Bf16Panels input, values;

  const MlpLayer& last() const { return layers[layer_count - 1]; }
};

Bf16Panels panels_from(Bf16Panels panels, std::size_t place) {
  return {panels.rows + place, panels.pairs == nullptr ? nullptr : panels.pairs + place};
}

/// Number of values of the inputs of all layers but the first.
std::size_t hidden_values(const MlpLayer* layers, std::size_t layer_count) {
  std::size_t values = 0;
  for (std::size_t l = 1; l < layer_count; ++l) values += bf16_values(layers[l].inputs);
  return values;
}

/// Evaluates all layers but the last, and returns the last one's input.
Bf16Panels evaluate_hidden(const Bf16Network& network) {
  Bf16Panels from = network.input;
  std::size_t place = 0;
  for (std::size_t l = 0; l + 1 < network.layer_count; ++l) {
    const MlpLayer& layer = network.layers[l];
    const auto outputs = static_cast<std::size_t>(layer.outputs);
    const Bf16Panels to = panels_from(network.values, place);
    Products::multiply<Finish::relu>({network.matrices + layer.first, 2 * outputs,
                                      static_cast<std::size_t>(layer.inputs), outputs, from.rows,
                                      nullptr, to, nullptr});
    place += bf16_values(layer.outputs);
    from = to;
  }
  return from;
}

/// Two places for gradients; the first has dL/doutputs of a network before its backward pass.
struct Bf16Gradients {
  Bf16Panels own, other;
};

/// Adds the gradient of a network's weights, from that of its first `outputs` outputs. Writes that
/// of its first `columns` inputs to `d_input`.
void backward_network(const Bf16Network& network, Bf16Gradients d, std::size_t outputs,
                      float* d_weights, std::size_t columns, float* d_input) {
  std::size_t place = hidden_values(network.layers, network.layer_count);
  for (std::size_t l = network.layer_count - 1; l > 0; --l) {
    const MlpLayer& layer = network.layers[l];
    const auto inputs = static_cast<std::size_t>(layer.inputs);
    place -= bf16_values(layer.inputs);
    const Bf16Panels from = panels_from(network.values, place);
    Products::add_all_products(
        Bf16Gradient{d.own.pairs, from.pairs, outputs, inputs, d_weights + layer.first});
    Products::multiply<Finish::relu_vjp>({network.transposed + layer.first, 2 * inputs, outputs,
                                          inputs, d.own.rows, nullptr, d.other, from.rows});
    d = {d.other, d.own};
    outputs = inputs;
  }
  const MlpLayer& layer = network.layers[0];
  const auto inputs = static_cast<std::size_t>(layer.inputs);
  Products::add_all_products(
      Bf16Gradient{d.own.pairs, network.input.pairs, outputs, inputs, d_weights + layer.first});
  Products::multiply<Finish::none>({network.transposed + layer.first,
                                    2 * inputs,
                                    outputs,
                                    columns,
                                    d.own.rows,
                                    d_input,
                                    {},
                                    nullptr});
}

/// Whether these kernels compute the networks.
bool suits(const NerfNetworkParams& params) {
  for (int l = 0; l + 1 < params.density_layer_count; ++l) {
    if (params.density_layers[l].activation != LayerActivation::relu) return false;
  }
  for (int l = 0; l + 1 < params.color_layer_count; ++l) {
    if (params.color_layers[l].activation != LayerActivation::relu) return false;
  }
  return params.color_layers == nullptr ||
         params.density_layers[params.density_layer_count - 1].activation == LayerActivation::none;
}

/// The networks of a call and the memory of its tiles. An object of Products must outlive it.
class Bf16Tiles {
 public:
  /// `trained`: gradients are wanted.
  Bf16Tiles(const NerfNetworkParams& params, bool trained)
      : params_(params), trained_(trained), memory_(floats_for(params)) {
    const std::size_t width = panel_floats(widest_layer(params));
    const std::size_t values = bf16_values(widest_layer(params));
    floats_ = memory_.take(width);
    outputs_ = memory_.take(kOutputQuad * kTile);
    d_outputs_ = memory_.take(kOutputQuad * kTile);
    density_ = network(params.density_layers, params.density_layer_count, params.density_weights);
    if (params.color_layers != nullptr) {
      color_ = network(params.color_layers, params.color_layer_count, params.color_weights);
    }
    d_ = {panels(values), panels(values)};
    std::memset(floats_, 0, width * sizeof(float));
  }

  /// Values of the tile of `samples` samples from `at` on.
  void forward(std::size_t at, std::size_t samples) {
    evaluate(at, samples);
    if (color_.layers == nullptr) {
      write_outputs(density_, params_.outputs, params_.raw + at, samples);
      return;
    }
    for (std::size_t s = 0; s < samples; ++s) params_.raw[at + s] = floats_[s * kPanel];
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
      backward_network(color_, d_, kOutputQuad, params.d_color_weights, wanted, floats_);
      store_color_inputs(params, floats_, at, samples);
      for (std::size_t s = 0; s < samples; ++s) floats_[s * kPanel] += d_raw[s];
      convert_panels(floats_, density_outputs, d_.own);
    }
    backward_network(density_, d_, density_outputs, params.d_density_weights, inputs, floats_);
    store_planes(floats_, inputs, samples, params_.stride, params.d_features + at);
  }

 private:
  /// More than enough: all BF16 values are twice there, as many bytes as for floats.
  static std::size_t floats_for(const NerfNetworkParams& params) {
    const auto of = [](const MlpLayer* layers, int count) {
      if (layers == nullptr) return std::size_t{0};
      const auto quad = kOutputQuad * static_cast<std::size_t>(layers[count - 1].inputs);
      return 2 * weight_count(layers, count) + quad + bf16_values(layers[0].inputs) +
             hidden_values(layers, static_cast<std::size_t>(count));
    };
    return of(params.density_layers, params.density_layer_count) +
           of(params.color_layers, params.color_layer_count) + panel_floats(widest_layer(params)) +
           2 * bf16_values(widest_layer(params)) + 2 * kOutputQuad * kTile;
  }

  Bf16* take(std::size_t values) { return reinterpret_cast<Bf16*>(memory_.take(values / 2)); }
  Bf16Panels panels(std::size_t values) {
    Bf16* rows = take(values);
    return {rows, trained_ ? take(values) : nullptr};
  }

  Bf16Network network(const MlpLayer* layers, int layer_count, const float* weights) {
    const std::size_t count = weight_count(layers, layer_count);
    const MlpLayer& last = layers[layer_count - 1];
    const auto inputs = static_cast<std::size_t>(last.inputs);
    float* transposed = memory_.take(count);
    transpose_weights(layers, layer_count, weights, transposed);
    Bf16 *forward = take(count), *backward = trained_ ? take(count) : nullptr;
    for (int l = 0; l < layer_count; ++l) {
      const auto rows = static_cast<std::size_t>(layers[l].outputs);
      const auto columns = static_cast<std::size_t>(layers[l].inputs);
      const std::size_t first = layers[l].first;
      convert_matrix(transposed + first, columns, rows, forward + first);
      if (trained_) convert_matrix(weights + first, rows, columns, backward + first);
    }
    Bf16* quad = take(kOutputQuad * inputs);
    convert_quad(weights + last.first, inputs, quad);
    const Bf16Panels input = panels(bf16_values(layers[0].inputs));
    const Bf16Panels values = panels(hidden_values(layers, static_cast<std::size_t>(layer_count)));
    return {layers, static_cast<std::size_t>(layer_count), forward, backward, quad, input, values};
  }

  /// Evaluates the networks up to the last layer, whose inputs are in `hidden_`. Afterwards,
  /// `floats_` has the inputs of the colour network.
  void evaluate(std::size_t at, std::size_t samples) {
    const auto inputs = static_cast<std::size_t>(density_.layers[0].inputs);
    load_planes(params_.features + at, params_.stride, inputs, samples, floats_);
    convert_panels(floats_, inputs, density_.input);
    hidden_ = evaluate_hidden(density_).rows;
    if (color_.layers == nullptr) return;
    const MlpLayer& last = density_.last();
    const auto outputs = static_cast<std::size_t>(last.outputs);
    Products::multiply<Finish::none>({density_.matrices + last.first,
                                      2 * outputs,
                                      static_cast<std::size_t>(last.inputs),
                                      outputs,
                                      hidden_,
                                      floats_,
                                      {},
                                      nullptr});
    load_directions(params_, at, samples, outputs, floats_);
    convert_panels(floats_, static_cast<std::size_t>(color_.layers[0].inputs), color_.input);
    hidden_ = evaluate_hidden(color_).rows;
  }

  /// Writes the first `rows` outputs of a network, at most four, to planes.
  void write_outputs(const Bf16Network& network, std::size_t rows, float* planes,
                     std::size_t samples) {
    multiply_quad(network.quad, static_cast<std::size_t>(network.last().inputs), hidden_, outputs_);
    activate_all(network.last().activation, outputs_, rows * kTile, outputs_);
    write_rows(outputs_, rows, samples, params_.stride, planes);
  }

  /// The gradient of the arguments of a network's first four outputs, from planes of that of the
  /// first `rows` outputs. The others have none.
  void read_output_gradients(const Bf16Network& network, std::size_t rows, const float* planes,
                             std::size_t samples) {
    read_rows(planes, params_.stride, rows, samples, d_outputs_);
    const LayerActivation activation = network.last().activation;
    if (activation != LayerActivation::none) {
      alignas(64) float results[kOutputQuad * kTile];
      multiply_quad(network.quad, static_cast<std::size_t>(network.last().inputs), hidden_,
                    outputs_);
      activate_all(activation, outputs_, kOutputQuad * kTile, results);
      activate_all_vjp(activation, outputs_, results, kOutputQuad * kTile, d_outputs_);
    }
    load_planes(d_outputs_, kTile, kOutputQuad, kTile, floats_);
    convert_panels(floats_, kPanel, d_.own);
  }

  const NerfNetworkParams& params_;
  bool trained_;
  TileMemory memory_;
  Bf16Network density_{}, color_{};
  Bf16Gradients d_{};
  float* floats_;                // panels of a layer
  float *outputs_, *d_outputs_;  // [kOutputQuad][kTile]
  const Bf16* hidden_ = nullptr;
};

}  // namespace

void nerf_forward(const NerfNetworkParams& params, std::size_t begin, std::size_t end) {
  if (!suits(params)) return isa_v4::nerf_forward(params, begin, end);
  [[maybe_unused]] const Products products{};  // takes the matrix unit, if there is one
  Bf16Tiles tiles(params, false);
  for_each_tile(begin, end,
                [&](std::size_t at, std::size_t samples) { tiles.forward(at, samples); });
}

void nerf_backward(const NerfNetworkBackwardParams& params, std::size_t begin, std::size_t end) {
  if (!suits(params.forward)) return isa_v4::nerf_backward(params, begin, end);
  [[maybe_unused]] const Products products{};
  Bf16Tiles tiles(params.forward, true);
  for_each_tile(begin, end,
                [&](std::size_t at, std::size_t samples) { tiles.backward(params, at, samples); });
}

}  // namespace mote::MOTE_ISA
