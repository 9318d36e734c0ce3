#pragma once

#include <glm/vec3.hpp>
#include <span>

#include "scene/dataset.h"
#include "splats/splat_cloud.h"
#include "splats/splat_geometry.h"
#include "train/splats/seed_movement.h"

namespace mote {

/// Standard deviation of the lives of first splats with a time, s, if lives have no bound.
double usual_sigma_s(const MotionSeeds& seeds);
/// The same with a bound of lives, s.
double first_sigma_s(double usual_s, double longest_life_s);

/// The motion of a splat with a velocity, in world units per second, that lives around a time.
MotionValues first_motion(double time_s, double sigma_s, const glm::dvec3& velocity);

/// Sets the motions of the splats of the cloud, one at each seed, with its velocity in world units
/// per second. A seed with a time lives around it, a seed without one at all times.
void set_first_motion(const MotionSeeds& seeds, std::span<const glm::dvec3> velocities,
                      SplatCloud& cloud);

/// The splats with another motion, which has all fields of theirs. Splats without lives get lives
/// that last for the whole scene of the given times. Other fields are 0.
SplatCloud with_motion(const SplatCloud& splats, SplatMotion motion, const SceneTimes& times);

/// Sets the velocities of splats that move to zero.
void remove_velocities(SplatCloud& cloud);

/// The times of the photographs: the scene begins at 0 and ends with the last one.
SceneTimes scene_times(const Dataset& dataset);
/// Whether the dataset has points of several moments.
bool has_moving_points(const Dataset& dataset);
/// Whether the training photographs were taken at different times.
bool has_times(const Dataset& dataset);

}  // namespace mote
