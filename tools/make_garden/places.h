#pragma once

// Random positions on and in simple shapes. Axes: z up.

#include <glm/vec3.hpp>

#include "core/random.h"

namespace mote::garden {

using glm::vec3;

/// A position for a splat.
struct Place {
  vec3 position{0}, normal{0, 0, 1};
  float crowding = 1;  // density of positions here, relative to the shape's mean
};

/// A uniformly distributed unit vector.
vec3 random_direction(Random& random);

/// Uniform on a disc around `center`.
Place on_disc(vec3 center, float radius, Random& random);

/// On a horizontal disc around the origin, denser towards the center. The density falls off with 1
/// / (near^2 + r^2), as in scenes trained with cameras around the center.
Place on_ground(float near, float radius, Random& random);

/// On the side of an upright body with width `low` at its foot and `high` at its top.
Place on_column(vec3 foot, float height, float low, float high, Random& random);

/// On a torus around the vertical axis through `center`; `tube` is its thickness.
Place on_ring(vec3 center, float radius, float tube, Random& random);

/// On an ellipsoid; `flat` is the ratio of height to width. Slightly denser at the poles.
Place on_ball(vec3 center, float radius, float flat, Random& random);

/// On leaves in the outer part of an ellipsoid, with random orientations.
Place in_crown(vec3 center, float radius, float flat, Random& random);

/// On an upright rectangle: `along` is its lower edge from `corner`, and `up` its height.
Place on_wall(vec3 corner, vec3 along, float up, Random& random);

}  // namespace mote::garden
