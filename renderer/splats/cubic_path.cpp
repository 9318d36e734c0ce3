#include "splats/cubic_path.h"

#include <algorithm>
#include <cmath>

namespace mote {
namespace {

double value_of(const MotionValues& motion, Field first, int axis) {
  return static_cast<double>(motion[static_cast<Field>(static_cast<int>(first) + axis)]);
}

}  // namespace

PathRange range_of(const CubicPath& path, double first, double last) {
  PathRange range{std::min(path.at(first), path.at(last)), std::max(path.at(first), path.at(last))};
  const auto visit = [&](double d) {
    // Phrased positively, so that NaN and infinity fail.
    if (!(first < d && d < last)) return;
    range = {std::min(range.low, path.at(d)), std::max(range.high, path.at(d))};
  };
  // The zeros of the velocity: a d^2 + 2 b d + c = 0, without cancellation.
  const double a = 3 * path.cubic, b = path.quadratic, c = path.velocity;
  const double discriminant = b * b - a * c;
  if (!(discriminant >= 0) || (a == 0 && b == 0)) return range;
  const double q = -(b + std::copysign(std::sqrt(discriminant), b));
  visit(q / a);
  visit(c / q);
  return range;
}

std::array<double, 4> rotation_at(const SplatGeometry& splat, const MotionValues& motion,
                                  double d) {
  std::array<double, 4> rotation{};
  for (int k = 0; k < 4; ++k) {
    rotation[static_cast<std::size_t>(k)] =
        static_cast<double>(splat.rotation[k]) + value_of(motion, Field::spin_w, k) * d;
  }
  return rotation;
}

CubicPath path_of(const SplatGeometry& splat, const MotionValues& motion, int axis) {
  return {static_cast<double>(splat.mean[axis]), value_of(motion, Field::velocity_x, axis),
          value_of(motion, Field::quadratic_x, axis), value_of(motion, Field::cubic_x, axis)};
}

}  // namespace mote
