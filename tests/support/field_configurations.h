#pragma once

// The configurations of fields that every device is tested with: it has the values and gradients of
// the double reference, or refuses the configuration by the name of what is missing.

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "support/grid_field.h"
#include "support/plain_field_reference.h"

namespace mote {

struct FieldConfiguration {
  std::string name;
  NeuralField field;
  std::string missing_on_gpus = {};  // a part of the message that refuses it; empty: none does
};

/// A field to train: its optimiser averages nothing, pulls nothing to 0, and never changes its
/// rate.
inline NeuralField field_to_compare(FieldApplication application, const GridConfig& grid,
                                    const NetworkConfig& network) {
  // Exponentials of exponentials grow beyond all halves.
  const bool grows = network.activation == LayerActivation::exponential;
  const float most = grows ? 0.1f : network.neurons < 16 ? 1.0f : 0.4f;
  NeuralField field =
      grid_field(application, grid, network,
                 std::min(most, 2.5f / std::sqrt(static_cast<float>(network.neurons))));
  field.config.loss = FieldLoss::l2;
  field.config.optimizer = FieldOptimizer{.learning_rate = 1e-2,
                                          .beta2 = 0.99,
                                          .epsilon = 1e-15,
                                          .l2_regularization = 0,
                                          .decay = {},
                                          .ema_decay = {}};
  return field;
}

/// A grid over some of the inputs.
inline EncodingPart grid_part(int dimensions, int first_input, GridConfig grid) {
  grid.dimensions = dimensions;
  return {GridEncoding{grid}, first_input, dimensions};
}

/// The same with an encoding of parts.
inline NeuralField field_of_parts(FieldApplication application, std::vector<EncodingPart> parts,
                                  const NetworkConfig& network) {
  NeuralField field = field_to_compare(application, kSmallGrid, network);
  field.config.encoding = {.parts = std::move(parts)};
  const NeuralField random = tiny_field(application, field.config, 3);
  field.parameters = random.parameters;
  for (float& value : field.parameters) value *= 0.4f;
  return field;
}

/// Encodings of three inputs by parts.
inline std::vector<std::pair<std::string, std::vector<EncodingPart>>> part_lists() {
  GridConfig single = kSmallGrid, tiled = kSmallGrid;
  single.features = 1;
  single.levels = 3;
  tiled.kind = GridKind::tiled;
  tiled.levels = 3;
  tiled.features = 1;
  tiled.base_resolution = 5;  // 125 entries of a level
  return {{"a grid and frequencies", {grid_part(3, 0, kSmallGrid), {Frequency{3}, 1, 2}}},
          {"grids of some inputs at odd places",
           {{Identity{1, -0.5f}, 0, 3},
            grid_part(3, 0, tiled),
            grid_part(2, 1, kSmallGrid),
            grid_part(2, 0, single)}},
          {"no grid", {{Frequency{3}, 0, 3}, {OneBlob{5}, 1, 1}}},
          {"all that has no parameters",
           {{TriangleWave{3}, 0, 2},
            {EmptyEncoding{}, 2, 1},
            {SphericalEncoding{3}, 0, 3},
            grid_part(3, 0, kSmallGrid)}}};
}

/// Those of fields with one network. Each varies one thing of a small signed distance field.
inline std::vector<FieldConfiguration> field_configurations() {
  const NetworkConfig small{.neurons = 32, .hidden_layers = 2};
  std::vector<FieldConfiguration> all;
  const auto add = [&](std::string name, const GridConfig& grid, const NetworkConfig& network,
                       std::string missing = {},
                       FieldApplication application = FieldApplication::sdf) {
    all.push_back(
        {std::move(name), field_to_compare(application, grid, network), std::move(missing)});
  };
  for (const FieldApplication application :
       {FieldApplication::sdf, FieldApplication::image, FieldApplication::volume}) {
    for (const int features : {1, 2, 4, 8}) {
      GridConfig grid = kSmallGrid;
      grid.features = features;
      add(std::to_string(field_inputs(application)) + " inputs, " +
              std::to_string(field_outputs(application)) + " outputs, " + std::to_string(features) +
              " features",
          grid, small, {}, application);
    }
  }
  for (const int levels : {1, 16}) {
    GridConfig grid = kSmallGrid;
    grid.levels = levels;
    add(std::to_string(levels) + " levels", grid, small);
  }
  for (const GridKind kind : {GridKind::hash, GridKind::dense, GridKind::tiled}) {
    for (const Interpolation interpolation :
         {Interpolation::nearest, Interpolation::linear, Interpolation::smoothstep}) {
      GridConfig grid = kSmallGrid;
      grid.kind = kind;
      grid.interpolation = interpolation;
      grid.base_resolution = 5;  // a tile with an odd number of entries
      add("grid " + std::to_string(static_cast<int>(kind)) + ", interpolation " +
              std::to_string(static_cast<int>(interpolation)),
          grid, {.neurons = 16, .hidden_layers = 1});
    }
  }
  for (const int neurons : {4, 16, 20, 32, 64, 100, 128, 272}) {
    add(std::to_string(neurons) + " wide", kSmallGrid, {.neurons = neurons, .hidden_layers = 3});
  }
  // Values of neurons that pad the width are not 0.
  for (const int neurons : {20, 132}) {
    add(std::to_string(neurons) + " wide, with exponentials", kSmallGrid,
        {.neurons = neurons, .hidden_layers = 2, .activation = LayerActivation::exponential});
  }
  for (const int layers : {1, 5}) {
    add(std::to_string(layers) + " hidden layers", kSmallGrid,
        {.neurons = 16, .hidden_layers = layers});
  }
  add("no hidden layers", kSmallGrid,
      {.hidden_layers = 0, .output_activation = LayerActivation::softplus}, "hidden layers");
  for (std::size_t i = 0; i < kActivationNames.size(); ++i) {
    const auto activation = static_cast<LayerActivation>(i);
    add("activation " + std::string(kActivationNames[i]), kSmallGrid,
        {.neurons = 16,
         .hidden_layers = 2,
         .activation = activation,
         .output_activation = activation});
  }
  for (std::size_t i = 0; i < kFieldLossNames.size(); ++i) {
    // Densities are above 0.
    add("loss " + std::string(kFieldLossNames[i]), kSmallGrid,
        {.neurons = 16, .hidden_layers = 2, .output_activation = LayerActivation::exponential}, {},
        FieldApplication::image);
    all.back().field.config.loss = static_cast<FieldLoss>(i);
  }
  for (const auto& [name, parts] : part_lists()) {
    all.push_back({name, field_of_parts(FieldApplication::sdf, parts, small)});
  }
  all.push_back({"an image of a grid and frequencies",
                 field_of_parts(FieldApplication::image,
                                {{grid_part(2, 0, kSmallGrid)}, {Frequency{2}, 0, 2}}, small)});
  add("Gaussians", kSmallGrid, {.kind = NetworkKind::gaussians, .neurons = 20}, "Gaussians");
  return all;
}

}  // namespace mote
