// The values of a layer are the product of those before it and its weights, as matrices. Backward,
// gradients of weights are products of gradients and values along the samples. Their sums are
// divided into parts, which run_weight_gradients() adds up in a fixed order.

#include "cuda/kernels/fields/layer_network.h"

#include <algorithm>

#include "core/error.h"
#include "cuda/kernels/fields/layer_kernels.h"

namespace mote::cuda {
namespace {

/// Blocks for gradients of weights of a layer, about the number of multiprocessors.
constexpr unsigned kWeightBlocks = 128;
constexpr unsigned kMostParts = 32;
constexpr unsigned kFewestPartSamples = 256;

/// The activation that products apply themselves.
LayerActivation simple_part(const NetworkShape& shape) {
  return is_simple(shape.activation) ? shape.activation : LayerActivation::none;
}

const uint4* inputs_of(int layer, const GroupLayers& layers) {
  return layer == 0 ? layers.inputs() : layers.values(layer - 1);
}

void run_hidden_layers(const NetworkArgs& args, const GroupLaunch& run) {
  const NetworkShape& shape = args.shape;
  const GroupLayers& layers = run.layers;
  run.arrange(args, layers.inputs());
  for (int layer = 0; layer < shape.hidden_layers; ++layer) {
    const LayerBlocks blocks = layer_blocks(shape, layer);
    uint4* const results = layers.arguments(layer);
    run.multiply({.values = inputs_of(layer, layers),
                  .weights = args.weights + static_cast<std::size_t>(blocks.first) * kBlockLanes,
                  .results = results,
                  .inputs = blocks.inputs,
                  .outputs = blocks.outputs,
                  .activation = simple_part(shape),
                  .behind = nullptr},
                 "a layer of a network");
    if (!is_simple(shape.activation)) {
      run.activate(shape, results, layers.values(layer), false);
    }
  }
}

/// Adds to the sums of the gradients of a layer's weights. `values`: the layer's inputs.
void add_weight_sums(const NetworkGradientArgs& args, int layer, const uint4* d,
                     const uint4* values, bool from_zero, const GroupLaunch& run) {
  const NetworkShape& shape = args.forward.shape;
  run.add_weights({.d = d,
                   .values = values,
                   .layer = layer_blocks(shape, layer),
                   .parts = args.parts,
                   .network_blocks = network_blocks(shape),
                   .part_count = args.part_count,
                   .from_zero = from_zero});
}

/// The gradients of the inputs of a layer: of the values before it, or of the network's.
void run_layer_gradients(const NetworkGradientArgs& args, int layer, const uint4* d, uint4* results,
                         const GroupLaunch& run) {
  const NetworkShape& shape = args.forward.shape;
  const LayerBlocks blocks = layer_blocks(shape, layer);
  const LayerActivation simple = layer == 0 ? LayerActivation::none : simple_part(shape);
  run.multiply({.values = d,
                .weights = args.transposed + static_cast<std::size_t>(blocks.first) * kBlockLanes,
                .results = results,
                .inputs = blocks.outputs,
                .outputs = blocks.inputs,
                .activation = simple,
                .behind = simple == LayerActivation::none ? nullptr : run.layers.values(layer - 1)},
               "gradients of a layer");
  if (layer > 0 && !is_simple(shape.activation)) {
    run.activate(shape, run.layers.arguments(layer - 1), results, true);
  }
}

void run_group_gradients(const NetworkGradientArgs& args, const GroupLaunch& run) {
  const NetworkShape& shape = args.forward.shape;
  const GroupLayers& layers = run.layers;
  run_hidden_layers(args.forward, run);
  uint4* d = layers.output_gradients();
  run.begin(args, layers.values(shape.hidden_layers - 1), d);
  for (int layer = shape.hidden_layers; layer >= 0; --layer) {
    add_weight_sums(args, layer, d, inputs_of(layer, layers), run.group.first == 0, run);
    if (layer == 0 && args.d_features == nullptr) break;
    uint4* const before = layers.gradients(layer);
    run_layer_gradients(args, layer, d, before, run);
    d = before;
  }
  if (args.d_features != nullptr) run.store(args, d);
}

/// The rates of all hidden layers. A simple activation changes rates as gradients.
void run_rates(const NetworkRateArgs& args, const GroupLaunch& run) {
  NetworkArgs inputs = args.gradients.forward;
  inputs.features = args.rates;
  const NetworkShape& shape = inputs.shape;
  const GroupLayers& layers = run.layers;
  run.arrange(inputs, layers.rate_inputs());
  for (int layer = 0; layer < shape.hidden_layers; ++layer) {
    const LayerBlocks blocks = layer_blocks(shape, layer);
    run.multiply({.values = layer == 0 ? layers.rate_inputs() : layers.rates(layer - 1),
                  .weights = inputs.weights + static_cast<std::size_t>(blocks.first) * kBlockLanes,
                  .results = layers.rates(layer),
                  .inputs = blocks.inputs,
                  .outputs = blocks.outputs,
                  .activation = shape.activation,
                  .behind = layers.values(layer)},
                 "rates of a layer");
  }
}

void run_group_rates(const NetworkRateArgs& args, const GroupLaunch& run) {
  const NetworkGradientArgs& gradients = args.gradients;
  const NetworkShape& shape = gradients.forward.shape;
  const GroupLayers& layers = run.layers;
  run_hidden_layers(gradients.forward, run);
  run_rates(args, run);
  NetworkGradientArgs of_rates = gradients;
  of_rates.d_values = args.d_rates;
  of_rates.loss_scale = 1;
  uint4 *d = layers.output_gradients(), *d_rates = layers.output_rate_gradients();
  const uint4* const last = layers.values(shape.hidden_layers - 1);
  run.begin(gradients, last, d);
  run.begin(of_rates, last, d_rates);
  for (int layer = shape.hidden_layers; layer >= 0; --layer) {
    add_weight_sums(gradients, layer, d, inputs_of(layer, layers), run.group.first == 0, run);
    add_weight_sums(gradients, layer, d_rates,
                    layer == 0 ? layers.rate_inputs() : layers.rates(layer - 1), false, run);
    run_layer_gradients(gradients, layer, d, layers.gradients(layer), run);
    d = layers.gradients(layer);
    if (layer == 0) break;
    run_layer_gradients(gradients, layer, d_rates, layers.rate_gradients(layer), run);
    d_rates = layers.rate_gradients(layer);
  }
  run.store(gradients, d);
}

/// Calls work(launch) for one group of samples after the other.
template <class Work>
void for_each_group(const NetworkArgs& args, LayerUse use, cudaStream_t stream, const Work& work) {
  CHECK(args.space != nullptr && args.at_once > 0 && args.at_once <= kLayerSamples);
  const unsigned most = std::min(args.count, args.at_once);
  const GroupLayers layers(args.shape, most, use, args.space);
  for (unsigned first = 0; first < args.count; first += most) {
    const SampleGroup group{first, std::min(args.count - first, most), args.count, args.known};
    work(GroupLaunch{group, layers, stream});
  }
}

}  // namespace

std::size_t layer_network_space(const NetworkShape& shape, unsigned count, LayerUse use) {
  return GroupLayers(shape, std::min(count, kLayerSamples), use, nullptr).size();
}

unsigned layer_network_parts(const NetworkShape& shape, unsigned count) {
  const unsigned side = blocks_for(static_cast<std::size_t>(shape.width_blocks), kSideBlocks);
  const unsigned most = std::clamp(kWeightBlocks / (side * side), 1u, kMostParts);
  return std::clamp(blocks_for(std::min(count, kLayerSamples), kFewestPartSamples), 1u, most);
}

void run_layers_forward(const NetworkArgs& args, cudaStream_t stream) {
  for_each_group(args, LayerUse::values, stream, [&](const GroupLaunch& run) {
    run_hidden_layers(args, run);
    run.write(args, run.layers.values(args.shape.hidden_layers - 1));
  });
}

void run_layers_backward(const NetworkGradientArgs& args, cudaStream_t stream) {
  for_each_group(args.forward, LayerUse::gradients, stream,
                 [&](const GroupLaunch& run) { run_group_gradients(args, run); });
}

bool has_rate_kernels(const NetworkShape& shape) {
  return is_simple(shape.activation) && shape.output_activation == LayerActivation::none;
}

void run_rates_backward(const NetworkRateArgs& args, cudaStream_t stream) {
  const NetworkGradientArgs& gradients = args.gradients;
  CHECK(has_rate_kernels(gradients.forward.shape) && gradients.d_features != nullptr);
  for_each_group(gradients.forward, LayerUse::rates, stream,
                 [&](const GroupLaunch& run) { run_group_rates(args, run); });
}

}  // namespace mote::cuda
