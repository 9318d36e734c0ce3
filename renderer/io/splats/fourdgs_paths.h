#pragma once

// Splats with the motion `poly` as splats of .4dgs files, which move along straight lines and do
// not turn. A life is divided at multiples of the scene's duration / 2^k, each part as coarse as
// the errors allow: few different windows, and the parts fit the segments of splats/time_segment.h.

#include <array>
#include <cstddef>
#include <vector>

#include "io/splats/fourdgs_lives.h"
#include "splats/cubic_path.h"
#include "splats/life_range.h"

namespace mote::fourdgs {

/// A life with a path and a rotation that depend on time. The position, velocity and rotation of
/// `life` are not used.
struct CurvedLife {
  LifeSplat life{};
  std::array<CubicPath, 3> path{};           // from the middle of the life on
  std::array<double, 4> rotation{}, spin{};  // x, y, z, w; in the middle, and its change a second
  LifeRange seen{};                          // when it is seen in the scene
};

struct PathErrors {
  double position = 0;   // world units
  double angle_rad = 0;  // of the rotation
};

/// A part of a life that the file holds as one splat.
struct LifePart {
  std::size_t piece = 0;  // of pieces_of()
  float begin = 0, end = 0;
};

struct LifeParts {
  std::vector<LifePart> parts{};
  bool is_whole = false;  // one straight line holds for the whole life; `parts` is empty
  bool is_near = true;    // false: some parts have larger errors, since they would be too many
};

/// Bounds of the errors of straightened().
PathErrors straight_errors(const CurvedLife& curved, const LifeRange& range);

/// `splat`, a piece of the life, with the straight line that is nearest to its path in the range,
/// and the rotation in the middle of those in the range.
Splat straightened(const CurvedLife& curved, const LifeRange& range, Splat splat);

/// Divides a life such that the errors are at most those of `most`.
LifeParts parts_of(const CurvedLife& curved, double duration_s, const PathErrors& most);

/// The splat of a part.
Splat splat_of(const CurvedLife& curved, double duration_s, const LifePart& part);

}  // namespace mote::fourdgs
