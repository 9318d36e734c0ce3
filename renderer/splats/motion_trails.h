#pragma once

#include <cstddef>
#include <glm/vec3.hpp>
#include <vector>

#include "splats/splat_cloud.h"
#include "splats/splat_mask.h"

namespace mote {

/// A few splats of a cloud that move, whose ways can be drawn.
class MotionTrails {
 public:
  static constexpr std::size_t kMost = 600;

  /// Takes at most `most` splats, evenly from those that are not among `left_out`, are not faint
  /// and move with at least least_speed().
  MotionTrails(const SplatCloud& cloud, const SplatMask& left_out, std::size_t most = kMost);
  /// A twentieth of the speed of the fastest ones, the 95th percentile; 0 for none.
  static double least_speed(std::vector<double> speeds);

  bool empty() const { return few_.count() == 0; }
  /// The ways of the splats that live at `time_s`, during the last `length_s` before it: each from
  /// the newest place back to the oldest one at which the splat lived. Places are kSteps apart in
  /// time, in the frame of the cloud.
  std::vector<std::vector<glm::dvec3>> at(double time_s, double length_s) const;
  static constexpr int kSteps = 6;

 private:
  SplatCloud few_;
};

}  // namespace mote
