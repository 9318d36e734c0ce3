#include "fields/networks/mlp_layout.h"

#include "core/error.h"

namespace mote {

std::vector<MlpLayer> mlp_layers(const MlpConfig& config) {
  CHECK(config.inputs >= 1 && config.outputs >= 1 && config.hidden_layers >= 0);
  CHECK(config.neurons >= 1 && config.neurons % kNeuronAlignment == 0);
  std::vector<MlpLayer> layers;
  std::size_t first = 0;
  const auto add = [&](int inputs, int outputs, LayerActivation activation) {
    layers.push_back({inputs, outputs, activation, first});
    first += static_cast<std::size_t>(inputs) * static_cast<std::size_t>(outputs);
  };
  if (config.hidden_layers == 0) {
    add(mlp_padded(config.inputs), mlp_padded(config.outputs), config.output_activation);
    return layers;
  }
  add(mlp_padded(config.inputs), config.neurons, config.activation);
  for (int i = 1; i < config.hidden_layers; ++i) {
    add(config.neurons, config.neurons, config.activation);
  }
  add(config.neurons, mlp_padded(config.outputs), config.output_activation);
  return layers;
}

void transpose_layers(std::span<const MlpLayer> layers, const float* weights, float* to) {
  for (const MlpLayer& layer : layers) {
    const auto inputs = static_cast<std::size_t>(layer.inputs);
    const auto outputs = static_cast<std::size_t>(layer.outputs);
    for (std::size_t o = 0; o < outputs; ++o) {
      for (std::size_t i = 0; i < inputs; ++i) {
        to[layer.first + i * outputs + o] = weights[layer.first + o * inputs + i];
      }
    }
  }
}

std::size_t mlp_parameters(const MlpConfig& config) {
  const MlpLayer last = mlp_layers(config).back();
  return last.first +
         static_cast<std::size_t>(last.inputs) * static_cast<std::size_t>(last.outputs);
}

}  // namespace mote
