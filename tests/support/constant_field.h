#pragma once

// Fields with the same values everywhere, whose pictures have known answers.

#include <algorithm>

#include "cameras/camera.h"
#include "fields/applications/nerf_layout.h"
#include "support/tiny_field.h"

namespace mote {

/// A camera that sees a cube of side 2 around 0 from none of its axes.
inline Camera oblique_camera(int width, int height, double focal_px) {
  Camera camera;
  camera.width = width;
  camera.height = height;
  camera.focal_px = {focal_px, focal_px - 1};
  camera.center_px = {0.5 * width + 0.5, 0.5 * height - 0.5};
  look_at(camera, glm::dvec3(2.1, -1.7, 2.9), {0.1, 0, 0}, {0, -1, 0});
  return camera;
}

/// A field of `application` in the cube of side 1 whose network gives `outputs` at every position:
/// a distance; a colour; a colour and a density; or the logarithm of a NeRF's density, whose colour
/// is 0.5. All cells are occupied. Values that a multiple of 1/64 can hold are exact.
inline NeuralField constant_field(FieldApplication application, std::span<const float> outputs) {
  NeuralField field = tiny_field(application, 1);
  field.render_box = field_cube(1);
  field.placement = {.scale = 0.5, .offset = {0.5, 0.5, 0.5}};  // the cube of side 2 around 0
  std::ranges::fill(field.occupancy.values, 1.0f);
  MlpConfig network;
  std::size_t encoding_first = 0;
  if (application == FieldApplication::nerf) {
    const NerfLayout layout = nerf_layout(field.config);
    network = layout.density;
    encoding_first = layout.encoding_first;
  } else {
    const SimpleFieldLayout layout = simple_field_layout(application, field.config);
    network = layout.network;
    encoding_first = layout.encoding_first;
  }
  std::ranges::fill(field.parameters, 0.0f);
  // All features are 1, and each hidden neuron repeats the first one.
  std::fill(field.parameters.begin() + static_cast<std::ptrdiff_t>(encoding_first),
            field.parameters.end(), 1.0f);
  const std::vector<MlpLayer> layers = mlp_layers(network);
  const auto weight = [&](const MlpLayer& layer, std::size_t out, std::size_t in) -> float& {
    return field.parameters[layer.first + out * static_cast<std::size_t>(layer.inputs) + in];
  };
  const auto neurons = static_cast<std::size_t>(network.neurons);
  for (std::size_t i = 0; i < neurons; ++i) {
    weight(layers[0], i, 0) = 1;
    for (std::size_t out = 0; out < outputs.size(); ++out) {
      weight(layers[1], out, i) = outputs[out] / static_cast<float>(neurons);
    }
  }
  return field;
}

}  // namespace mote
