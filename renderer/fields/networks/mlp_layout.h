#pragma once

// The layers of a multilayer perceptron without biases, in the layout of tiny-cuda-nn: row-major
// matrices [out][in] one after the other, with the inputs and outputs of the network padded to
// multiples of 16. Hidden layers are not padded.

#include <cstddef>
#include <span>
#include <vector>

#include "fields/networks/activation.h"

namespace mote {

struct MlpConfig {
  int inputs = 32, outputs = 16;
  int neurons = 64;       // of each hidden layer; a multiple of kNeuronAlignment
  int hidden_layers = 1;  // 0: the inputs are multiplied by a single matrix
  LayerActivation activation = LayerActivation::relu, output_activation = LayerActivation::none;

  bool operator==(const MlpConfig&) const = default;
};

inline constexpr int kMlpAlignment = 16;
/// With it, each matrix has a multiple of 16 parameters.
inline constexpr int kNeuronAlignment = 4;

constexpr int mlp_padded(int values) {
  return (values + kMlpAlignment - 1) / kMlpAlignment * kMlpAlignment;
}

/// Neurons of a hidden layer; 0 without such layers.
constexpr int hidden_width(const MlpConfig& config) {
  return config.hidden_layers > 0 ? config.neurons : 0;
}

struct MlpLayer {
  int inputs, outputs;  // with the network's padding
  LayerActivation activation;
  std::size_t first;  // place of the matrix among the parameters
};

/// The layers from the input on.
std::vector<MlpLayer> mlp_layers(const MlpConfig& config);

/// Writes the transposed matrices to their places: to[first + input * outputs + output].
void transpose_layers(std::span<const MlpLayer> layers, const float* weights, float* to);

/// Number of parameters of all layers, padding included.
std::size_t mlp_parameters(const MlpConfig& config);

}  // namespace mote
