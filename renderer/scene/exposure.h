#pragma once

#include <array>

namespace mote {

/// rgb' = matrix * rgb + offset, rows of {m0, m1, m2, offset}: one photograph's exposure.
using Exposure = std::array<float, 12>;
inline constexpr Exposure kNeutralExposure{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

}  // namespace mote
