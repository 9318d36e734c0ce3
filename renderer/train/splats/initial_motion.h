#pragma once

#include <array>
#include <glm/vec3.hpp>
#include <limits>
#include <span>
#include <vector>

#include "core/random.h"
#include "scene/dataset.h"
#include "splats/splat_cloud.h"

namespace mote {

/// The time of a seed that is valid at all times.
inline constexpr double kAlways = std::numeric_limits<double>::quiet_NaN();

/// The first times of splats that move, at seeds with times.
struct MotionSeeds {
  std::span<const glm::dvec3> positions;
  std::span<const double> times_s;  // kAlways: the seed belongs to the whole scene
  SceneTimes times;
};

/// Whether a seed with a time shows something that stands still: seeds of two moments a third of
/// the scene away lie as near to it as its neighbours, and have its colour. `colors`: 0 to 1.
std::vector<bool> stand_still(const MotionSeeds& seeds,
                              std::span<const std::array<double, 3>> colors);

/// Sets the motions of the splats of the cloud, one at each seed. A seed with a time lives around
/// it, and moves as its neighbours do: the velocity is the mean distance from some of them to the
/// nearest seed of the next moment with seeds. A seed without a time lives at all times and stands
/// still.
void set_first_motion(const MotionSeeds& seeds, SplatCloud& cloud);

/// The splats with another motion, which has all fields of theirs. Splats without lives get lives
/// that last for the whole scene of the given times. Other fields are 0.
SplatCloud with_motion(const SplatCloud& splats, SplatMotion motion, const SceneTimes& times);

/// Sets the velocities of splats that move to zero.
void remove_velocities(SplatCloud& cloud);

/// Velocities of seeds with times, world units per second; 0 for those of the last moment.
std::vector<glm::dvec3> first_velocities(const MotionSeeds& seeds);

/// The times of the photographs: the scene begins at 0 and ends with the last one.
SceneTimes scene_times(const Dataset& dataset);
/// Whether the dataset has points of several times.
bool has_moving_points(const Dataset& dataset);
/// Whether the training photographs were taken at different times.
bool has_times(const Dataset& dataset);

}  // namespace mote
