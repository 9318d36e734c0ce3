#pragma once

// Small fields of a grid and a network, for tests of devices.

#include "support/tiny_field.h"

namespace mote {

/// The grid of most of these tests; its dimensions are the field's.
inline constexpr GridConfig kSmallGrid{
    .levels = 6, .features = 2, .log2_table_size = 8, .base_resolution = 4, .per_level_scale = 1.6};

/// A field with a grid and a network of these sizes.
inline NeuralField grid_field(FieldApplication application, GridConfig grid,
                              const NetworkConfig& network, float size = 0.4f) {
  grid.dimensions = field_inputs(application);
  FieldConfig config;
  config.encoding = {.parts = {{GridEncoding{grid}, 0, grid.dimensions}}};
  config.network = network;
  NeuralField field = tiny_field(application, config, 3);
  for (float& value : field.parameters) value *= size;
  field.image_width = 40;
  field.image_height = 30;
  return field;
}

inline NeuralField image_field() {
  return grid_field(FieldApplication::image, kSmallGrid, {.neurons = 32, .hidden_layers = 2});
}

}  // namespace mote
