#pragma once

// The data of the CPU kernels of networks of any width. Values of many samples are in planes
// (fields/planes.h).

#include <cstddef>

#include "fields/networks/gaussian_layer.h"
#include "fields/networks/mlp_layout.h"

namespace mote {

/// A network whose layers have any numbers of inputs and outputs that are multiples of 4, at some
/// samples. With Gaussians, their values are the inputs of the first layer.
struct GeneralNetworkParams {
  const GaussianLayout* gaussians;  // null: none
  const MlpLayer* layers;
  std::size_t layer_count;
  const float* weights;   // the network's parameters: [outputs][inputs] of each layer
  const float* features;  // [inputs][stride]
  float* values;          // [outputs][stride]
  std::size_t stride;
  std::size_t outputs;  // number of planes of `values`, at most the outputs of the last layer
};

/// Activations are computed again from the inputs. With `rates`, the loss also depends on the
/// changes of the values while the features change with these rates, such as on the derivative of
/// the values along a direction: its gradients need second derivatives.
struct GeneralBackwardParams {
  GeneralNetworkParams forward;  // `values` is not used
  const float* d_values;         // [outputs][stride]
  float* d_features;             // [inputs][stride]; may be `features`
  float* d_weights;  // added to, in the places of the parameters; null: they are not wanted
  const float* rates = nullptr;          // [inputs][stride]; null: none
  const float* d_value_rates = nullptr;  // [outputs][stride]
  float* d_rates = nullptr;              // [inputs][stride]; may be `rates`
};

}  // namespace mote
