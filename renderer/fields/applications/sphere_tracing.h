#pragma once

// Rays that are traced to the surface of a signed distance field (J. Hart 1996, "Sphere tracing"),
// and its shading: a sun with a soft shadow, and a sky with ambient occlusion (I. Quilez, "Soft
// shadows in raymarched SDFs" and "Raymarching distance fields"). Devices evaluate the distances in
// between. Lengths are those of the field's frame.

#include <array>

#include "lanes/scalar.h"
#include "math/display_curve.h"
#include "math/vector.h"

namespace mote {

inline constexpr int kMostTraceSteps = 160, kMostShadowSteps = 24;
/// Distances of a point on the surface that its normal and its occlusion need.
inline constexpr int kNormalCorners = 4, kOcclusionSteps = 5;
inline constexpr float kNormalHalf = 1.0f / 1024;  // of the differences for normals
inline constexpr float kShadowStart = 8 * kNormalHalf;

/// The distance below which a point at `t` along a ray counts as one of the surface. `pixel`: half
/// of the size of a pixel at distance 1.
template <class F>
MOTE_LANE F surface_tolerance(F t, F pixel) {
  return max(F(1.0f / 8192), pixel * t);
}

/// Whether a distance at `t` along a ray is that of the surface. Behind the surface, the negative
/// distance leads back to it.
template <class F>
MOTE_LANE auto is_at_surface(F distance, F t, F pixel) {
  return distance < surface_tolerance(t, pixel);
}

/// The next place along a ray, which is always a later one. The field only approximates distances.
template <class F>
MOTE_LANE F next_trace(F t, F distance) {
  return max(t + max(F(0.9f) * distance, F(1.0f / 4096)), t * F(1 + 0x1p-22f));
}

/// Corner 0 to 3 of a tetrahedron, along which differences give a normal (I. Quilez, "Normals for
/// an SDF").
template <class F>
MOTE_LANE Vec3<F> normal_corner(int k) {
  const F one(1.0f);
  return {k == 0 || k == 3 ? one : -one, k >= 2 ? one : -one, k == 1 || k == 3 ? one : -one};
}

/// The normal from the sum of corners times the distances in their directions.
template <class F>
MOTE_LANE Vec3<F> traced_normal(const Vec3<F>& sum, const Vec3<F>& direction) {
  const F square = dot(sum, sum);
  const Vec3<F> normal = square > F(0.0f) ? sum * (F(1.0f) / sqrt(square)) : direction * F(-1.0f);
  // Just behind a silhouette, the normal may lead away from the camera.
  const F away = dot(normal, direction);
  return away > F(0.0f) ? normalize(normal - direction * (F(1.001f) * away)) : normal;
}

/// Height above the surface at which occlusion is measured, 0 to kOcclusionSteps - 1.
template <class F>
MOTE_LANE F occlusion_height(int k) {
  return F(0.05f / kOcclusionSteps) * static_cast<F>(k + 1);
}

/// The part of the sky's light that a distance at that height takes; all add up to 1.
template <class F>
MOTE_LANE F hidden_share(int k, F distance) {
  constexpr float kFall = 0.8f;
  constexpr float kSum = 1 + kFall * (1 + kFall * (1 + kFall * (1 + kFall)));
  static_assert(kOcclusionSteps == 5);
  F weight(1 / kSum);
  for (int i = 0; i < k; ++i) weight = weight * F(kFall);
  const F height = occlusion_height<F>(k);
  return weight * max(min((height - distance) / height, F(1.0f)), F(0.0f));
}

/// The shadow, 1 for none, after a distance at `reached` towards the sun.
template <class F>
MOTE_LANE F shadow_after(F shadow, F distance, F reached) {
  return min(shadow, max(F(16.0f) * distance / reached, F(0.0f)));
}

/// The next place towards the sun.
template <class F>
MOTE_LANE F next_shadow(F reached, F distance) {
  return reached + max(min(distance, F(0.1f)), F(0.005f));
}

template <class F>
MOTE_LANE auto is_shadow_known(F shadow, F reached) {
  return (shadow <= F(0.001f)) | (reached > F(0.6f));
}

/// A point of the surface, and the light at it.
template <class F>
struct TracedSurface {
  Vec3<F> normal;
  F shadow, occlusion;  // 1: all of the sun's and of the sky's light
};

/// The linear reflectance of a surface whose colour is given as display values from 0 to 1.
inline Vec3<float> reflectance_of(const std::array<float, 3>& display) {
  return {linear_from_display(display[0]), linear_from_display(display[1]),
          linear_from_display(display[2])};
}

/// Linear light that leaves the surface. `reflectance`: of a matt surface. `sun`, `up`: directions.
template <class F>
MOTE_LANE Vec3<F> surface_light(const TracedSurface<F>& at, const Vec3<F>& reflectance,
                                const Vec3<F>& sun, const Vec3<F>& up) {
  const F of_sun = F(0.7f) * max(dot(at.normal, sun), F(0.0f)) * at.shadow;
  const F of_sky = (F(0.6f) + F(0.4f) * dot(at.normal, up)) * at.occlusion;
  return {reflectance.x * (of_sun * F(1.15f) + of_sky * F(0.42f)),
          reflectance.y * (of_sun * F(1.05f) + of_sky * F(0.48f)),
          reflectance.z * (of_sun * F(0.92f) + of_sky * F(0.56f))};
}

/// A box along the axes.
template <class F>
struct TracedBox {
  Vec3<F> low, high;
};

/// Distance to the surface of the box, below 0 inside of it.
template <class F>
MOTE_LANE F distance_to(const TracedBox<F>& box, const Vec3<F>& point) {
  const F zero(0.0f);
  const Vec3<F> beyond{max(box.low.x - point.x, point.x - box.high.x),
                       max(box.low.y - point.y, point.y - box.high.y),
                       max(box.low.z - point.z, point.z - box.high.z)};
  const F deepest = max(beyond.x, max(beyond.y, beyond.z));
  const Vec3<F> outside{max(beyond.x, zero), max(beyond.y, zero), max(beyond.z, zero)};
  return deepest < zero ? deepest : sqrt(dot(outside, outside));
}

/// A part of a ray; empty where `end` is not above `begin`.
template <class F>
struct TracedPart {
  F begin, end;
};

/// The part of a ray in the box.
template <class F>
MOTE_LANE TracedPart<F> part_in(const TracedBox<F>& box, const Vec3<F>& origin,
                                const Vec3<F>& direction) {
  TracedPart<F> part{F(0.0f), F(1e30f)};
  const auto cut = [&](F low, F high, F from, F along) {
    const F a = (low - from) / along, b = (high - from) / along;
    part.begin = max(part.begin, min(a, b));
    part.end = min(part.end, max(a, b));
  };
  cut(box.low.x, box.high.x, origin.x, direction.x);
  cut(box.low.y, box.high.y, origin.y, direction.y);
  cut(box.low.z, box.high.z, origin.z, direction.z);
  return part;
}

/// A box that is turned against the axes.
template <class F>
struct TurnedBox {
  Vec3<F> center, half;    // half: of its sides
  Mat3<F> box_from_field;  // rotation

  MOTE_LANE TracedBox<F> in_own_axes() const { return {half * F(-1.0f), half}; }
};

template <class F>
MOTE_LANE F distance_to(const TurnedBox<F>& box, const Vec3<F>& point) {
  return distance_to(box.in_own_axes(), box.box_from_field * (point - box.center));
}

/// The part of `part` that is inside the box.
template <class F>
MOTE_LANE TracedPart<F> part_in(const TurnedBox<F>& box, const Vec3<F>& origin,
                                const Vec3<F>& direction, const TracedPart<F>& part) {
  const TracedPart<F> own = part_in(box.in_own_axes(), box.box_from_field * (origin - box.center),
                                    box.box_from_field * direction);
  return {max(part.begin, own.begin), min(part.end, own.end)};
}

}  // namespace mote
