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

}  // namespace mote
