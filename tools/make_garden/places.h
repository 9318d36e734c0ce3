#pragma once

// Random places on and in simple shapes. Axes: z up.

#include <glm/vec3.hpp>

#include "core/random.h"

namespace mote::garden {

using glm::vec3;

/// A place where a splat may lie.
struct Place {
  vec3 position{0}, normal{0, 0, 1};
  float crowding = 1;  // places per area here, over the mean of the shape
};

/// A unit vector, all directions alike.
vec3 random_direction(Random& random);

/// Even over a disc around `center`.
Place on_disc(vec3 center, float radius, Random& random);

/// Over a level disc around the origin, more crowded towards its middle: places per area fall off
/// with 1 / (near^2 + r^2), as they do in scenes that were trained with cameras about the middle.
Place on_ground(float near, float radius, Random& random);

/// Over the side of an upright body that is `low` wide at its foot and `high` at its top.
Place on_column(vec3 foot, float height, float low, float high, Random& random);

/// Over a ring around the vertical through `center`, `tube` thick.
Place on_ring(vec3 center, float radius, float tube, Random& random);

/// Over an ellipsoid; `flat` is its height over its width. A little more crowded about the poles.
Place on_ball(vec3 center, float radius, float flat, Random& random);

/// On leaves that hang in the outer part of an ellipsoid and face any way.
Place in_crown(vec3 center, float radius, float flat, Random& random);

/// Over an upright rectangle: `along` from its lower corner, `up` high.
Place on_wall(vec3 corner, vec3 along, float up, Random& random);

}  // namespace mote::garden
