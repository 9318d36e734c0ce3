#pragma once

// The path of a splat on the host, one coordinate at a time, and its rotation: those of the motion
// `poly`, of which the other motions have a part.

#include <array>

#include "splats/splat_geometry.h"

namespace mote {

/// position + velocity d + quadratic d^2 + cubic d^3 at d seconds after the middle of the life.
struct CubicPath {
  double position = 0, velocity = 0, quadratic = 0, cubic = 0;

  double at(double d) const { return position + d * (velocity + d * (quadratic + d * cubic)); }
};

struct PathRange {
  double low, high;
};

/// The exact range of the coordinate from `first` to `last`, which are finite.
PathRange range_of(const CubicPath& path, double first, double last);

/// The path along axis 0, 1 or 2 of a splat with that motion, which may lack some of the fields.
CubicPath path_of(const SplatGeometry& splat, const MotionValues& motion, int axis);

/// The quaternion w, x, y, z, of any length, at d seconds after the middle of the life.
std::array<double, 4> rotation_at(const SplatGeometry& splat, const MotionValues& motion, double d);

}  // namespace mote
