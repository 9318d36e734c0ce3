#pragma once

// Unbounded space in a cube, and distances along a ray to match: the contraction of mip-NeRF 360
// (Barron et al. 2022, equations 10 and 11) with the largest coordinate as norm, so that space
// fills a cube, which a grid covers, and not a ball.

#include <limits>

#include "fields/neural_field.h"
#include "math/vector.h"

namespace mote {

template <class F>
MOTE_LANE F largest_coordinate(Vec3<F> x) {
  return max(max(abs(x.x), abs(x.y)), abs(x.z));
}

/// Keeps the cube of side 2 around 0, and takes all space around it into the cube of side 4.
template <class F>
MOTE_LANE Vec3<F> contract(Vec3<F> x) {
  const F inverse = F(1.0f) / max(largest_coordinate(x), F(1.0f));
  return x * ((F(2.0f) - inverse) * inverse);
}

/// The vjp of contract(): dL/dx from d = dL/dcontract(x). Where two coordinates are equally large,
/// the first counts as the largest.
template <class F>
MOTE_LANE Vec3<F> contract_vjp(Vec3<F> x, Vec3<F> d) {
  const F zero(0.0f), one(1.0f), largest = largest_coordinate(x);
  const F inverse = one / max(largest, one);
  // The derivative of the factor by the largest coordinate's size, which is 0 in the inner cube.
  const F slope = dot(x, d) * (F(2.0f) * inverse * inverse * (inverse - one));
  const auto signed_slope = [&](F own) { return select(own < zero, zero - slope, slope); };
  const auto is_less = [&](F own) { return abs(own) < largest; };
  const F behind_x = select(is_less(x.y), signed_slope(x.z), zero);
  const Vec3<F> by_factor{select(is_less(x.x), zero, signed_slope(x.x)),
                          select(is_less(x.x), select(is_less(x.y), zero, signed_slope(x.y)), zero),
                          select(is_less(x.x), behind_x, zero)};
  return d * ((F(2.0f) - inverse) * inverse) + by_factor;
}

/// The inverse, inside of the cube of side 4.
template <class F>
MOTE_LANE Vec3<F> expand(Vec3<F> x) {
  const F norm = max(largest_coordinate(x), F(1.0f));
  return x * (F(1.0f) / ((F(2.0f) - norm) * norm));
}

/// Half the side of the inner cube, which the contraction keeps, of a field whose cube has the side
/// `aabb_scale`.
constexpr float inner_reach(int aabb_scale) {
  return 0.25f * static_cast<float>(aabb_scale);
}

/// The place in the field's cube of a position in its frame. `reach`: inner_reach().
template <class F>
MOTE_LANE Vec3<F> contracted_place(Vec3<F> position, F reach) {
  const F half(0.5f);
  const Vec3<F> center{half, half, half};
  return center + contract((position - center) * (F(1.0f) / reach)) * reach;
}

/// The vjp of contracted_place() by the position.
template <class F>
MOTE_LANE Vec3<F> contracted_place_vjp(Vec3<F> position, F reach, Vec3<F> d) {
  const F half(0.5f);
  return contract_vjp((position - Vec3<F>{half, half, half}) * (F(1.0f) / reach), d);
}

/// Distance as a number from 0 to 1 that samples of a ray are even in: linear up to distance 1, by
/// disparity behind it.
template <class F>
MOTE_LANE F spaced(F distance) {
  const F half(0.5f);
  return select(distance < F(1.0f), half * distance, F(1.0f) - half / max(distance, F(1.0f)));
}

/// The inverse, for numbers below 1.
template <class F>
MOTE_LANE F distance_of_spaced(F s) {
  const F half(0.5f);
  return select(s < half, F(2.0f) * s, half / (F(1.0f) - max(s, half)));
}

/// The part of a field with a contraction that is drawn: sides of the render box on the cube's are
/// without bounds, since the cube has all space.
inline FieldBox unbounded_box(const FieldBox& box, int aabb_scale) {
  constexpr float kNever = std::numeric_limits<float>::infinity();
  const FieldBox cube = field_cube(aabb_scale);
  FieldBox open = box;
  for (int axis = 0; axis < 3; ++axis) {
    if (open.min[axis] <= cube.min[axis]) open.min[axis] = -kNever;
    if (open.max[axis] >= cube.max[axis]) open.max[axis] = kNever;
  }
  return open;
}

}  // namespace mote
