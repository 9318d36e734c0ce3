#pragma once

// Clouds whose splats have features in place of harmonics (splats/kinds/feature_decoder.h).

#include <glm/vec3.hpp>
#include <memory>

#include "splats/kinds/feature_decoder.h"
#include "splats/splat_cloud.h"

namespace mote {

/// Sets the decoder of a cloud whose first three coefficients hold features; the others become 0.
/// CHECKs the degree.
void set_decoder(SplatCloud& cloud, std::shared_ptr<const FeatureDecoder> decoder);

/// The temporal features, which are per second, in other seconds: multiplies them.
void scale_temporal_features(SplatCloud& cloud, double factor);

/// The colour of a splat's base features without the network.
glm::dvec3 base_feature_color(const SplatCloud& cloud, std::size_t splat);

/// Throws Error if the cloud has features: nothing changes the colours that their network makes.
void check_colors_can_change(const SplatCloud& cloud);

}  // namespace mote
