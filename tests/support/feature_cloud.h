#pragma once

#include <cstdint>
#include <memory>
#include <random>

#include "splats/feature_cloud.h"
#include "support/random_cloud.h"

namespace mote {

inline FeatureDecoder random_decoder(std::uint32_t seed,
                                     ColorActivation activation = ColorActivation::sigmoid) {
  std::mt19937 random(seed);
  const auto uniform = [&] { return static_cast<float>(random()) / 2147483648.0f - 1; };
  FeatureDecoder decoder{.activation = activation};
  for (auto& row : decoder.hidden) {
    for (float& weight : row) weight = uniform();
  }
  for (auto& row : decoder.output) {
    for (float& weight : row) weight = uniform();
  }
  return decoder;
}

/// A random cloud that moves, with features from -1 to 1 and a random network.
inline SplatCloud random_feature_cloud(std::size_t count, std::uint32_t seed,
                                       SplatMotion motion = SplatMotion::poly,
                                       ColorActivation activation = ColorActivation::sigmoid) {
  SplatCloud cloud = random_moving_cloud(count, kFeatureDegree, seed, motion);
  std::mt19937 random(seed + 1);
  for (std::size_t i = 0; i < count; ++i) {
    for (int k = 0; k < kFeatureTriples; ++k) {
      for (int c = 0; c < 3; ++c) {
        cloud.sh(i, k, c) = static_cast<float>(random()) / 2147483648.0f - 1;
      }
    }
  }
  set_decoder(cloud, std::make_shared<const FeatureDecoder>(random_decoder(seed, activation)));
  return cloud;
}

}  // namespace mote
