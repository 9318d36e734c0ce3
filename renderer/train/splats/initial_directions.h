#pragma once

#include <glm/vec3.hpp>

#include "scene/dataset.h"
#include "splats/splat_cloud.h"

namespace mote {

/// Whether the camera's image holds the point. `point`: world units.
bool is_in_view(const Camera& camera, const glm::dvec3& point);

/// Sets the directions of splats of the motion `conditional` from the training cameras that have
/// them in view, or all if none has: the mean of the directions, a wide spread of them, and a slope
/// of 0. A splat looks like one that stands still then, but for a weight near 1.
void set_first_directions(const Dataset& dataset, SplatCloud& cloud);

/// Splats that stand still with the motion `conditional` and their first directions.
SplatCloud with_directions(const SplatCloud& splats, const Dataset& dataset);

}  // namespace mote
