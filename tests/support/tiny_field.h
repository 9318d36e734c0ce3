#pragma once

// Small neural fields with random parameters, for tests of any application.

#include <random>

#include "fields/applications/field_layout.h"
#include "fields/neural_field.h"

namespace mote {

/// Grid, network and, for a NeRF, direction and colour, all of the smallest useful size.
inline FieldConfig tiny_field_config(FieldApplication application) {
  const int inputs = field_inputs(application);
  const GridConfig grid{.dimensions = inputs,
                        .levels = 3,
                        .features = 2,
                        .log2_table_size = 6,
                        .base_resolution = 4,
                        .per_level_scale = 1.5};
  FieldConfig config;
  config.encoding = {.parts = {{GridEncoding{grid}, 0, inputs}}};
  config.network = {.neurons = 16, .hidden_layers = 1};
  config.loss = FieldLoss::huber;
  config.optimizer = {.decay = FieldOptimizer::Decay{}, .ema_decay = 0.75};
  if (application == FieldApplication::nerf) {
    config.direction_encoding = {.parts = {{SphericalEncoding{2}, 0, 3}}};
    config.color_network = {
        .neurons = 16, .hidden_layers = 2, .activation = LayerActivation::leaky_relu};
  }
  return config;
}

/// A field of `application` whose parameters are uniform in [-1, 1), with one cell in 64 occupied
/// at random where it has an occupancy grid. A NeRF has the cube of `aabb_scale`.
inline NeuralField tiny_field(FieldApplication application, const FieldConfig& config,
                              unsigned seed, int aabb_scale = 1) {
  NeuralField field;
  field.application = application;
  field.config = config;
  std::mt19937 random(seed);
  const auto unit = [&] { return static_cast<float>(random() >> 8) * 0x1p-24f; };
  field.parameters.resize(field_parameters(application, field.config));
  for (float& value : field.parameters) value = 2 * unit() - 1;
  field.placement = {.scale = 0.375, .offset = {0.25, 0.5, 0.125}};
  field.training_step = 321;
  field.background = {0.25f, 0.5f, 1};
  field.render_box = {glm::vec3(0.125f), {0.75f, 0.5f, 0.875f}};
  if (application == FieldApplication::nerf) field.aabb_scale = aabb_scale;
  if (application == FieldApplication::nerf || application == FieldApplication::volume) {
    field.occupancy.cascades = cascades_of(field.aabb_scale);
    field.occupancy.values.resize(kOccupancyCells *
                                  static_cast<std::size_t>(field.occupancy.cascades));
    for (std::size_t i = random() % 64; i < field.occupancy.values.size();
         i += 1 + random() % 127) {
      field.occupancy.values[i] = random() % 4 == 0 ? -1 : unit();
    }
  }
  return field;
}

inline NeuralField tiny_field(FieldApplication application, unsigned seed, int aabb_scale = 1) {
  return tiny_field(application, tiny_field_config(application), seed, aabb_scale);
}

}  // namespace mote
