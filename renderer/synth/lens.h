#pragma once

#include <glm/vec2.hpp>

namespace mote::synth {

/// Lens distortion as OpenCV and COLMAP define their model OPENCV, on image-plane coordinates x/z,
/// y/z.
struct Lens {
  double k1 = 0, k2 = 0, p1 = 0, p2 = 0;

  bool is_pinhole() const { return k1 == 0 && k2 == 0 && p1 == 0 && p2 == 0; }
  glm::dvec2 distorted(glm::dvec2 undistorted) const;
  /// The inverse, by Newton's method; `converged`, where given, tells whether there is one near.
  glm::dvec2 undistorted(glm::dvec2 distorted, bool* converged = nullptr) const;
};

}  // namespace mote::synth
