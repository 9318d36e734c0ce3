#pragma once

// Marching of a ray through an occupancy grid: the samples of the ray are in occupied cells. Steps
// grow in proportion to the distance (Müller et al. 2022, appendix E.1). Distances are along
// directions of length 1, in the field's units.
//
// All samples of a ray are a whole number of steps apart: a distance is a function of the number of
// steps. So samples are the same however empty cells are skipped, and rounding does not add up.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "fields/occupancy.h"

namespace mote {

inline constexpr float kLargestStep = 1.7320508f;
inline constexpr int kMostRaySamples = 1024;
inline constexpr float kUsualCone = 1.0f / 256;

/// Step per distance of a field: steps are constant in a cube of side 1.
constexpr float usual_cone(int aabb_scale) {
  return aabb_scale > 1 ? kUsualCone : 0;
}

/// The step at a distance. `smallest`: step near the camera.
MOTE_LANE float step_at(float t, float cone, float smallest = kSmallestStep) {
  return std::min(std::max(t * cone, smallest), kLargestStep);
}

/// Converts between distances and numbers of steps. A step is the smallest up to `growing_t`, then
/// the cone times the distance up to `largest_t`, then the largest.
class StepScale {
 public:
  /// `cone` >= 0. `smallest` > 0.
  explicit StepScale(float cone, float smallest = kSmallestStep)
      : smallest_(smallest), inverse_smallest_(1 / smallest) {
    if (!(cone > 0)) return;
    growth_ = std::log2(1 + cone);
    inverse_growth_ = 1 / growth_;
    growing_t_ = smallest / cone;
    growing_steps_ = 1 / cone;
    largest_t_ = kLargestStep / cone;
    largest_steps_ = growing_steps_ + std::log2(largest_t_ / growing_t_) * inverse_growth_;
    inverse_growing_t_ = cone / smallest;
  }

  MOTE_LANE float distance_of(float steps) const {
    if (steps < growing_steps_) return steps * smallest_;
    if (steps < largest_steps_) {
      return growing_t_ * std::exp2((steps - growing_steps_) * growth_);
    }
    return largest_t_ + (steps - largest_steps_) * kLargestStep;
  }

  MOTE_LANE float steps_of(float t) const {
    if (t < growing_t_) return t * inverse_smallest_;
    if (t < largest_t_) {
      return growing_steps_ + std::log2(t * inverse_growing_t_) * inverse_growth_;
    }
    return largest_steps_ + (t - largest_t_) * (1 / kLargestStep);
  }

 private:
  static constexpr float kNever = std::numeric_limits<float>::infinity();
  float smallest_, inverse_smallest_;
  float growth_ = 0, inverse_growth_ = 0;  // log2 of the factor on the distance, per step
  float growing_t_ = kNever, growing_steps_ = kNever, inverse_growing_t_ = 0;
  float largest_t_ = kNever, largest_steps_ = kNever;
};

struct MarchSettings {
  Vec3<float> box_min, box_max;  // samples are inside
  float cone, smallest;
  float inverse_cone;  // infinite without a cone
  StepScale scale;

  /// The box is cut to the cube of the coarsest cascade. Steps are `coarseness` times as long as
  /// usual, at least 1.
  MarchSettings(Vec3<float> low, Vec3<float> high, int cascades, float step_per_distance,
                float coarseness = 1)
      : cone(coarseness * step_per_distance),
        smallest(coarseness * kSmallestStep),
        inverse_cone(1 / cone),
        scale(cone, smallest) {
    const float side = cascade_side(cascades - 1), least = 0.5f - 0.5f * side,
                most = 0.5f + 0.5f * side;
    box_min = {std::max(low.x, least), std::max(low.y, least), std::max(low.z, least)};
    box_max = {std::min(high.x, most), std::min(high.y, most), std::min(high.z, most)};
  }
};

/// A sample at origin + t * direction, which stands for a part of the ray of length dt.
struct RaySample {
  float t, dt;
};

/// The part of a ray that is not yet marched through.
struct RayMarch {
  Vec3<float> origin, direction;
  Vec3<float> inverse;  // of the direction; +infinity for a component that is 0
  float t_end;          // where the ray leaves the box
  float steps;          // to the next sample, or to the next cell; see StepScale
  float occupied_end;   // the steps below this number are in an occupied cell
  float density;        // that is known of this cell
  int left;             // number of samples that the ray may still get

  bool done() const { return left == 0; }
};

/// Shortens the distances from `t` to `t_end` to those between the planes at `low` and `high`.
MOTE_LANE void cut_to_slab(float low, float high, float origin, float direction, float inverse,
                           float& t, float& t_end) {
  if (direction == 0) {
    if (!(origin >= low && origin <= high)) t_end = -1;
    return;
  }
  const float to_low = (low - origin) * inverse, to_high = (high - origin) * inverse;
  t = std::max(t, std::min(to_low, to_high));
  t_end = std::min(t_end, std::max(to_low, to_high));
}

/// A ray from its origin, or where it enters the box, plus `jitter` steps, from 0 to 1. The
/// direction has length 1. A ray that misses the box is done, as is one that is not finite or
/// longer than 2^22 steps.
MOTE_LANE RayMarch begin_march(const MarchSettings& settings, Vec3<float> origin,
                               Vec3<float> direction, float jitter) {
  constexpr float kMostSteps = 1 << 22, kLeastComponent = 1e-20f;
  RayMarch ray{origin, direction, {}, std::numeric_limits<float>::max(), 0, 0, 0, 0};
  for (float* component : {&ray.direction.x, &ray.direction.y, &ray.direction.z}) {
    if (std::abs(*component) < kLeastComponent) *component = 0;
  }
  const auto inverse = [](float x) {
    return x == 0 ? std::numeric_limits<float>::infinity() : 1 / x;
  };
  const Vec3<float> d = ray.direction, low = settings.box_min, high = settings.box_max;
  ray.inverse = {inverse(d.x), inverse(d.y), inverse(d.z)};
  const float size = dot(d, d) + dot(origin, origin) * 0;  // NaN if a number is not finite
  if (!(size > 0.5f && size < 2)) return ray;
  float t = 0;
  cut_to_slab(low.x, high.x, origin.x, d.x, ray.inverse.x, t, ray.t_end);
  cut_to_slab(low.y, high.y, origin.y, d.y, ray.inverse.y, t, ray.t_end);
  cut_to_slab(low.z, high.z, origin.z, d.z, ray.inverse.z, t, ray.t_end);
  const float last = settings.scale.steps_of(ray.t_end);
  if (!(t < ray.t_end && last < kMostSteps)) return ray;
  // The next power of two. Numbers of steps up to it are exact once the first is rounded to its
  // unit.
  const float power =
      std::bit_cast<float>(((std::bit_cast<std::uint32_t>(last + 1) >> 23) + 1) << 23);
  ray.steps = (settings.scale.steps_of(t) + jitter + power) - power;
  ray.left = kMostRaySamples;
  return ray;
}

/// Leaves the samples of a ray from distance `t` to `t_end`, before its first sample.
MOTE_LANE void shorten_march(const MarchSettings& settings, float t, float t_end, RayMarch& ray) {
  if (ray.done()) return;
  ray.t_end = std::min(ray.t_end, t_end);
  if (!(t < ray.t_end)) {
    ray.left = 0;
    return;
  }
  const float missing = settings.scale.steps_of(t) - ray.steps;
  if (missing > 0) ray.steps += std::ceil(missing);
}

/// The cascade of a sample: the smallest whose cube has the position and whose cells are larger
/// than two steps, or the coarsest.
MOTE_LANE int cascade_at(Vec3<float> position, float dt, int cascades) {
  const float reach = std::max(std::max(std::abs(position.x - 0.5f), std::abs(position.y - 0.5f)),
                               std::abs(position.z - 0.5f));
  const float size = std::max(2 * reach, 2 * kOccupancySide * dt);
  // The smallest cascade with a side above `size`.
  const int exponent = static_cast<int>(std::bit_cast<std::uint32_t>(size) >> 23) - 126;
  return std::min(std::max(exponent, 0), cascades - 1);
}

/// The distance at which a ray leaves the cube of `side` cells around a cell, along one axis.
MOTE_LANE float axis_exit(std::uint32_t cell, int side, float cell_side, float origin,
                          float inverse) {
  const int first = static_cast<int>(cell) & -side;
  const int border = (inverse > 0 ? first + side : first) - kOccupancySide / 2;
  return (static_cast<float>(border) * cell_side + 0.5f - origin) * inverse;
}

/// Goes on to the end of the cell, or of the largest known empty cube, that a ray is in at
/// distance t: to the first step at or after it, but at least one step.
MOTE_LANE void pass_cell(const OccupancyView& bits, const MarchSettings& settings, float t,
                         RayMarch& ray) {
  const Vec3<float> position = ray.origin + ray.direction * t;
  const int cascade =
      cascade_at(position, step_at(t, settings.cone, settings.smallest), bits.cascades);
  const Vec3<float> place = position_in_cells(position, cascade);
  // Rounding may put a position at the border of the box just outside.
  const auto index = [](float x) {
    return static_cast<std::uint32_t>(
        std::min(std::max(static_cast<int>(x), 0), kOccupancySide - 1));
  };
  const OccupancyCell cell{index(place.x), index(place.y), index(place.z)};
  const std::size_t number = cell_number(cascade, cell);
  const int empty = empty_side(bits, number), side = std::max(empty, 1);
  const float size = cell_side(cascade);
  float exit = std::min(std::min(axis_exit(cell.x, side, size, ray.origin.x, ray.inverse.x),
                                 axis_exit(cell.y, side, size, ray.origin.y, ray.inverse.y)),
                        axis_exit(cell.z, side, size, ray.origin.z, ray.inverse.z));
  // From half a cell on, steps need the next cascade.
  if (cascade + 1 < bits.cascades) exit = std::min(exit, 0.5f * size * settings.inverse_cone);
  // NaN, of a ray along the border of a cell, becomes 0.
  const float wanted =
      std::max(0.0f, settings.scale.steps_of(std::min(exit, ray.t_end)) - ray.steps);
  const int whole = static_cast<int>(wanted);
  const float end =
      ray.steps + static_cast<float>(std::max(whole + (static_cast<float>(whole) < wanted), 1));
  (empty == 0 ? ray.occupied_end : ray.steps) = end;
  if (empty == 0) ray.density = coarse_density(bits.densities[number]) * (1 / kSmallestStep);
}

/// Bounds on the samples of a call of march().
struct MarchBounds {
  int samples;  // above 0
  /// The last sample is the one with which the ray's optical thickness, as the densities of the
  /// occupancy grid tell it, comes to this value.
  float thickness = std::numeric_limits<float>::infinity();
};

/// Writes the ray's next samples to `out`, up to `bounds`, and returns their number. The ray is
/// done if there are none.
MOTE_LANE int march(const OccupancyView& bits, const MarchSettings& settings, RayMarch& ray,
                    MarchBounds bounds, RaySample* out) {
  int found = 0;
  float thickness = 0;
  // Also without any thickness there is one sample, so that a ray always goes on.
  const auto goes_on = [&] { return found == 0 || thickness < bounds.thickness; };
  while (found < bounds.samples && goes_on() && ray.left > 0) {
    const float t = settings.scale.distance_of(ray.steps);
    if (!(t < ray.t_end)) {
      ray.left = 0;
    } else if (ray.steps < ray.occupied_end) {
      const float dt = step_at(t, settings.cone, settings.smallest);
      out[found++] = {t, dt};
      thickness += ray.density * dt;
      ray.steps += 1;
      --ray.left;
    } else {
      pass_cell(bits, settings, t, ray);
    }
  }
  return found;
}

}  // namespace mote
