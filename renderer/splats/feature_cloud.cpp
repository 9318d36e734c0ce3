#include "splats/feature_cloud.h"

#include <utility>

#include "core/error.h"

namespace mote {

void set_decoder(SplatCloud& cloud, std::shared_ptr<const FeatureDecoder> decoder) {
  CHECK(cloud.sh_degree() == kFeatureDegree);
  cloud.decoder = std::move(decoder);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    for (int k = kFeatureTriples; k < cloud.sh_coefficients(); ++k) {
      for (int c = 0; c < 3; ++c) cloud.sh(i, k, c) = 0;
    }
  }
}

void scale_temporal_features(SplatCloud& cloud, double factor) {
  CHECK(cloud.decoder != nullptr);
  constexpr int kTemporal = static_cast<int>(FeatureTriple::temporal);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    for (int c = 0; c < 3; ++c) cloud.sh(i, kTemporal, c) *= static_cast<float>(factor);
  }
}

glm::dvec3 base_feature_color(const SplatCloud& cloud, std::size_t splat) {
  glm::dvec3 color(0);
  for (int c = 0; c < 3; ++c) {
    color[c] = activated(cloud.decoder->activation, static_cast<double>(cloud.sh(splat, 0, c)));
  }
  return color;
}

void check_colors_can_change(const SplatCloud& cloud) {
  if (cloud.decoder == nullptr) return;
  throw Error("its colours are made of features by a network and cannot be adjusted", "the scene",
              "adjust the pictures, or use a model with harmonics");
}

}  // namespace mote
