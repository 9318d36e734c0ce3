#pragma once

// Parts of an encoding without parameters, at many positions.

#include <cstddef>

#include "fields/field_config.h"

namespace mote {

/// Encodes the positions [begin, end). `positions`: [inputs of the field][stride], `features`:
/// [outputs of the part][stride]; planes as fields/planes.h describes them. CHECKs that the part is
/// not a grid.
void encode_part(const EncodingPart& part, const float* positions, std::size_t stride,
                 std::size_t begin, std::size_t end, float* features);

/// Adds the gradient by the positions from that of the features: `d_features` is
/// [outputs of the part][stride], `d_positions` [inputs of the field][stride].
void encode_part_slopes(const EncodingPart& part, const float* positions, const float* d_features,
                        std::size_t stride, std::size_t begin, std::size_t end, float* d_positions);

/// The changes of the features, [outputs of the part][stride], while the positions move with
/// `velocities` [inputs of the field][stride].
void encode_part_rates(const EncodingPart& part, const float* positions, const float* velocities,
                       std::size_t stride, std::size_t begin, std::size_t end, float* rates);

}  // namespace mote
