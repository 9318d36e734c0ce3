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

/// Points with times, from which the first splats of a moving scene are made.
struct MotionSeeds {
  std::span<const glm::dvec3> positions;          // world
  std::span<const double> times_s;                // kAlways: the seed belongs to the whole scene
  std::span<const std::array<double, 3>> colors;  // 0 to 1
  SceneTimes times;
  double longest_life_s = std::numeric_limits<double>::infinity();  // of splats with a time
};

/// Whether a seed with a time shows something that stands still: seeds of two moments a third of
/// the scene away lie as near to it as its neighbours, and have its colour.
std::vector<bool> stand_still(const MotionSeeds& seeds);

/// Velocities of seeds with times, world units per second. Seeds of several moments are samples of
/// the same surfaces at different places, so that a velocity is the mean over a patch of neighbours
/// and over up to six moments, and gets shorter, down to 0, the less the neighbours agree.
/// 0 for seeds without a time, and if no other moment has seeds.
std::vector<glm::dvec3> first_velocities(const MotionSeeds& seeds);

/// The usual time between moments with seeds, s; 0 if there is at most one.
double moment_gap(const MotionSeeds& seeds);

}  // namespace mote
