#pragma once

// The encoding of one direction by any parts without parameters.

#include <glm/vec3.hpp>
#include <span>

#include "fields/field_config.h"

namespace mote {

/// values[0 .. config.padded_outputs()) of a unit direction and the inputs behind it, as many as
/// the parts read; padding is 1, as in tiny-cuda-nn. CHECKs that no part is a grid.
void encode_direction(const EncodingConfig& config, const glm::vec3& direction,
                      std::span<const float> latents, float* values);

/// The gradient by the direction, as a vector of three free components, from that by the values.
/// `latents`: number of inputs behind the direction. CHECKs that no part is a grid.
glm::vec3 direction_gradient(const EncodingConfig& config, const glm::vec3& direction, int latents,
                             const float* d_values);

}  // namespace mote
