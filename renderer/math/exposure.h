#pragma once

#include <array>

namespace mote {

/// Values of a row, {m0, m1, m2, offset}, and of all three rows.
inline constexpr int kExposureRow = 4, kExposureValues = 3 * kExposureRow;

/// The exposure of one photograph, in rows: rgb' = matrix * rgb + offset.
using Exposure = std::array<float, kExposureValues>;
inline constexpr Exposure kNeutralExposure{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

}  // namespace mote
