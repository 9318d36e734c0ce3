#pragma once

// `mote_motion 1`: splats with a life and a velocity, or a path of degree 3 and a rotation, in the
// .ply of 3D Gaussians. docs/moving.md has the specification. The usual properties hold the splats
// of one moment, so that other programs show that moment; the properties below hold the motion.
// `mote_directional 1`: splats that depend on the direction of view (docs/directional.md). The
// usual properties hold them at the mean of their directions.

#include <string>
#include <vector>

#include "io/splats/ply_header.h"
#include "splats/splat_cloud.h"

namespace mote {

/// The values of the header's comments, and the fields of the motion that the file leaves out.
struct PlyMotion {
  double reference_s = 0;  // the moment of the usual properties
  SceneTimes times;
  std::vector<Field> absent = {};
};

/// The motion that the header names; `still` without one. Throws Error for a version that this
/// program does not read, for two motions, and for times that are not numbers.
SplatMotion ply_motion_of(const PlyHeader& header, const PlyElement& vertex,
                          const std::string& name, PlyMotion& found);

/// The property of a field of a motion; for other fields that of the opacity at the weight 1.
const char* ply_motion_property(Field field);

/// Turns the values that were read from the properties into stored values: the state at the
/// reference into that at the middle of the life, derivatives into coefficients, seconds of the
/// plateau into their logarithm. Absent fields become 0.
void from_ply_motion(const PlyMotion& motion, SplatCloud& cloud);

/// The header's comment of splats that depend on the direction of view, a line.
inline constexpr const char* kPlyDirectionComment = "comment mote_directional 1\n";

/// The header's comments of splats that move, each a line.
std::string ply_motion_comments(const PlyMotion& motion);

/// A splat as the properties describe it: the values of the fields that its cloud stores. The
/// opacity is that at the reference.
struct PlyMoment {
  float value[kFields];

  float& operator[](Field field) { return value[static_cast<int>(field)]; }
  float operator[](Field field) const { return value[static_cast<int>(field)]; }
};
PlyMoment to_ply_motion(const PlyMotion& motion, const SplatCloud& cloud, std::size_t splat);

}  // namespace mote
