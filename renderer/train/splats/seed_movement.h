#pragma once

#include <array>
#include <glm/vec3.hpp>
#include <limits>
#include <span>
#include <vector>

#include "splats/splat_cloud.h"

namespace mote {

/// The time of a seed that is valid at all times.
inline constexpr double kAlways = std::numeric_limits<double>::quiet_NaN();

/// Points with times, from which the first splats of a moving scene are made. A moment has all
/// points of times that are less than a frame apart: those of cameras whose clocks differ.
struct MotionSeeds {
  std::span<const glm::dvec3> positions;          // world
  std::span<const double> times_s;                // kAlways: the seed belongs to the whole scene
  std::span<const std::array<double, 3>> colors;  // 0 to 1
  SceneTimes times;
  double longest_life_s = std::numeric_limits<double>::infinity();  // of splats with a time
};

/// Whether a seed with a time shows something that stands still: of six moments all over the scene
/// (or all others, if there are fewer), two thirds have a seed of its colour among the six that are
/// nearest to it, no further away than twice its neighbours are. None does if there are fewer than
/// three moments. Throws Interrupted, since millions of seeds take long.
std::vector<bool> stand_still(const MotionSeeds& seeds);

struct FirstVelocities {
  std::vector<glm::dvec3> velocities;  // world units per second
  std::vector<bool> move;              // whether a velocity is found; else it is 0
};

/// Velocities of seeds with times, but for those that stand still. Seeds of several moments are
/// samples of the same surfaces at different places, so that a velocity is the mean over a patch of
/// neighbours and over up to six moments, and gets shorter, down to 0, the less the neighbours
/// agree. Seeds that stand still take no part. A velocity is found if it leads near to the seeds of
/// other moments, and clearly nearer than standing still does. 0 for seeds without a time, in
/// moments with fewer seeds than a patch, and if no other moment has seeds. `still`: whether a seed
/// stands still. Throws Interrupted.
FirstVelocities first_velocities(const MotionSeeds& seeds, const std::vector<bool>& still);

/// The usual time between moments with seeds, s; 0 if there is at most one.
double moment_gap(const MotionSeeds& seeds);

}  // namespace mote
