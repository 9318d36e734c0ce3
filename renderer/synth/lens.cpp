#include "synth/lens.h"

#include <cmath>
#include <glm/geometric.hpp>

namespace mote::synth {

glm::dvec2 Lens::distorted(glm::dvec2 undistorted) const {
  const double x = undistorted.x, y = undistorted.y, r2 = x * x + y * y;
  const double radial = 1 + r2 * (k1 + r2 * k2);
  return {x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x),
          y * radial + 2 * p2 * x * y + p1 * (r2 + 2 * y * y)};
}

glm::dvec2 Lens::undistorted(glm::dvec2 distorted_point, bool* converged) const {
  constexpr int kSteps = 12;
  constexpr double kClose = 1e-12, kLeastDeterminant = 1e-3;
  glm::dvec2 p = distorted_point;
  double determinant = 1, off = is_pinhole() ? 0 : 1;
  for (int step = 0; step < kSteps && off > kClose * kClose && determinant > kLeastDeterminant;
       ++step) {
    const double x = p.x, y = p.y, r2 = x * x + y * y;
    const double radial = 1 + r2 * (k1 + r2 * k2), slope = 2 * (k1 + 2 * r2 * k2);
    const double xx = radial + slope * x * x + 2 * p1 * y + 6 * p2 * x;
    const double yy = radial + slope * y * y + 2 * p2 * x + 6 * p1 * y;
    const double xy = slope * x * y + 2 * p1 * x + 2 * p2 * y;
    determinant = xx * yy - xy * xy;
    const glm::dvec2 miss = distorted(p) - distorted_point;
    off = glm::dot(miss, miss);
    p -= glm::dvec2(yy * miss.x - xy * miss.y, xx * miss.y - xy * miss.x) / determinant;
  }
  if (converged) {
    const glm::dvec2 miss = distorted(p) - distorted_point;
    *converged = determinant > kLeastDeterminant && glm::dot(miss, miss) < 1e-18;
  }
  return p;
}

}  // namespace mote::synth
