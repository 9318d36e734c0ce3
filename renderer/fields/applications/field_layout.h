#pragma once

// The numbers of inputs, outputs and parameters of each application. A signed distance function, an
// image and a volume have one encoding and one network, whose parameters come first.

#include <cstddef>
#include <optional>

#include "fields/networks/gaussian_layer.h"
#include "fields/networks/mlp_layout.h"
#include "fields/neural_field.h"

namespace mote {

/// Numbers of values of a field's position, and of its results: a distance, a colour, or a colour
/// and a density. A NeRF's are those of its density network.
int field_inputs(FieldApplication application);
int field_outputs(FieldApplication application);

/// The layout of a field with one network.
struct SimpleFieldLayout {
  MlpConfig network;
  std::optional<GaussianLayout> gaussians;  // instead of the layers of a perceptron
  std::size_t encoding_first = 0, parameters = 0;
};

/// Throws Error if the network cannot be built. CHECKs that `application` is not nerf.
SimpleFieldLayout simple_field_layout(FieldApplication application, const FieldConfig& config);

/// Number of parameters of a field, of any application, with a complete configuration.
std::size_t field_parameters(FieldApplication application, const FieldConfig& config);

}  // namespace mote
