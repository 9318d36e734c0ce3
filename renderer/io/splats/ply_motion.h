#pragma once

// `mote_motion 1`: splats with a life and a velocity in the .ply of 3D Gaussians. docs/moving.md
// has the specification. The usual properties hold the splats of one moment, so that other programs
// show that moment; the properties below hold the motion.

#include <string>
#include <vector>

#include "io/splats/ply_header.h"
#include "splats/splat_cloud.h"

namespace mote {

/// The values of the header's comments.
struct PlyMotion {
  double reference_s = 0;  // the moment of the usual properties
  SceneTimes times;
};

/// The motion that the header names; `still` without one. Throws Error for a version or a motion
/// that this program does not read, and for times that are not numbers.
SplatMotion ply_motion_of(const PlyHeader& header, const PlyElement& vertex,
                          const std::string& name, PlyMotion& found);

/// The property of a field of a motion, or of the opacity of splats that move.
const char* ply_motion_property(Field field);

/// Turns the values that were read from the properties into stored values: the state at the
/// reference into that at the middle of the life, seconds of the plateau into their logarithm.
void from_ply_motion(const PlyMotion& motion, SplatCloud& cloud);

/// The header's comments, each a line.
std::string ply_motion_comments(const PlyMotion& motion);

/// A splat as the properties describe it.
struct PlyMoment {
  float mean[3];
  float opacity;  // logit of the opacity at the reference
  float plateau_s;
};
PlyMoment to_ply_motion(const PlyMotion& motion, const SplatCloud& cloud, std::size_t splat);

}  // namespace mote
