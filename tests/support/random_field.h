#pragma once

#include <memory>
#include <random>

#include "splats/deformation.h"
#include "support/random_cloud.h"

namespace mote {

inline constexpr DeformationConfig kTinyField{
    .planes = {.features = 16, .levels = 2, .resolution = 4, .moments = 5},
    .neurons = 8,
    .hidden_layers = 2};

/// A field of random parameters that moves splats in the unit cube by about a tenth of it.
inline DeformationField random_field(std::uint32_t seed,
                                     const DeformationConfig& config = kTinyField) {
  DeformationField field =
      initial_deformation(config, {-0.9f, -1.1f, -1.0f}, {1.0f, 0.8f, 1.2f}, seed);
  const DeformationLayout layout = deformation_layout(config);
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> planes(0.6f, 1.4f), matrices(-0.4f, 0.4f);
  for (std::size_t i = 0; i < layout.parameters; ++i) {
    field.parameters[i] = i < layout.planes_first ? matrices(random) : planes(random);
  }
  return field;
}

/// random_cloud() with such a field, in a scene of 2 s at 30 frames per second.
inline SplatCloud random_deformed_cloud(std::size_t count, int sh_degree, std::uint32_t seed) {
  SplatCloud cloud = random_cloud(count, sh_degree, seed);
  cloud.times = {.duration_s = 2, .frames_per_second = 30};
  cloud.deformation = std::make_shared<const DeformationField>(random_field(seed));
  return cloud;
}

}  // namespace mote
