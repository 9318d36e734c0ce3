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
template <class F>
MOTE_LANE F step_at(F t, float cone, float smallest = kSmallestStep) {
  return min(max(t * F(cone), F(smallest)), F(kLargestStep));
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

  template <class F>
  MOTE_LANE F distance_of(F steps) const {
    const F even = steps * F(smallest_);
    if (!grows()) return even;
    const F power = min(max((steps - F(growing_steps_)) * F(growth_), F(0.0f)), F(126.0f));
    const F grown = F(growing_t_) * exp2_bounded(power),
            largest = F(largest_t_) + (steps - F(largest_steps_)) * F(kLargestStep);
    return select(steps < F(growing_steps_), even,
                  select(steps < F(largest_steps_), grown, largest));
  }

  template <class F>
  MOTE_LANE F steps_of(F t) const {
    const F even = t * F(inverse_smallest_);
    if (!grows()) return even;
    const F power = log2(max(t * F(inverse_growing_t_), F(1.0f)));
    const F grown = F(growing_steps_) + power * F(inverse_growth_),
            largest = F(largest_steps_) + (t - F(largest_t_)) * F(1 / kLargestStep);
    return select(t < F(growing_t_), even, select(t < F(largest_t_), grown, largest));
  }

 private:
  MOTE_LANE bool grows() const { return growth_ > 0; }

  static constexpr float kNever = std::numeric_limits<float>::infinity();
  float smallest_, inverse_smallest_;
  float growth_ = 0, inverse_growth_ = 0;  // log2 of the factor on the distance, per step
  float growing_t_ = kNever, growing_steps_ = kNever, inverse_growing_t_ = 0;
  float largest_t_ = kNever, largest_steps_ = kNever;
};

struct MarchSettings {
  Vec3<float> box_min, box_max;  // samples are inside
  OccupiedBox occupied;          // rays are marched only in here
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
    constexpr float kFar = std::numeric_limits<float>::max();
    occupied = {{-kFar, -kFar, -kFar}, {kFar, kFar, kFar}};
  }

  /// The same, for rays through cells that are all in a box. Samples do not change.
  MarchSettings within(const OccupiedBox& cells) const {
    MarchSettings settings = *this;
    settings.occupied = cells;
    return settings;
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

  MOTE_LANE bool done() const { return left == 0; }
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

/// The same for a box.
MOTE_LANE void cut_to_box(Vec3<float> low, Vec3<float> high, const RayMarch& ray, float& t,
                          float& t_end) {
  const Vec3<float> from = ray.origin, d = ray.direction;
  cut_to_slab(low.x, high.x, from.x, d.x, ray.inverse.x, t, t_end);
  cut_to_slab(low.y, high.y, from.y, d.y, ray.inverse.y, t, t_end);
  cut_to_slab(low.z, high.z, from.z, d.z, ray.inverse.z, t, t_end);
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

/// Leaves the samples of a ray in a box around the occupied cells, before its first sample. Samples
/// do not change.
MOTE_LANE void keep_in_box(const MarchSettings& settings, const OccupiedBox& cells, RayMarch& ray) {
  // Rounding of a position must not take a sample out of its cell.
  constexpr float kMargin = kSmallestStep / 16;
  const Vec3<float> low{cells.min.x - kMargin, cells.min.y - kMargin, cells.min.z - kMargin},
      high{cells.max.x + kMargin, cells.max.y + kMargin, cells.max.z + kMargin};
  float from = 0, to = ray.t_end;
  cut_to_box(low, high, ray, from, to);
  shorten_march(settings, from, to, ray);
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
  cut_to_box(low, high, ray, t, ray.t_end);
  const float last = settings.scale.steps_of(ray.t_end);
  if (!(t < ray.t_end && last < kMostSteps)) return ray;
  // The next power of two. Numbers of steps up to it are exact once the first is rounded to its
  // unit.
  const float power =
      std::bit_cast<float>(((std::bit_cast<std::uint32_t>(last + 1) >> 23) + 1) << 23);
  ray.steps = (settings.scale.steps_of(t) + jitter + power) - power;
  ray.left = kMostRaySamples;
  keep_in_box(settings, settings.occupied, ray);
  return ray;
}

/// The smallest cascade whose cube has the position and whose cells are larger than two steps, or
/// the coarsest cascade; and the side of its cells.
template <class F>
struct CascadeChoice {
  typename LaneWords<F>::Type cascade;
  F cell_side;
};
template <class F>
MOTE_LANE CascadeChoice<F> cascade_at(Vec3<F> position, F dt, int cascades) {
  using Words = typename LaneWords<F>::Type;
  const F half(0.5f);
  const F reach = max(max(abs(position.x - half), abs(position.y - half)), abs(position.z - half));
  const F size = max(F(2.0f) * reach, F(2.0f * kOccupancySide) * dt);
  // The smallest cascade with a side above `size`.
  const F exponent = float_of(shift_right<23>(bits_of(size))) - F(126.0f);
  const Words cascade = word_of(min(max(exponent, F(0.0f)), F(static_cast<float>(cascades - 1))));
  return {cascade, float_of_bits(shift_left<23>(cascade + Words(127u - kOccupancyBitsPerAxis)))};
}

/// The end of what a ray passes next: of a cell, or of the largest known empty cube.
template <class F>
struct PassedCell {
  F end;  // steps, at least one more than before
  decltype(F(0.0f) < F(0.0f)) occupied;
  F density;  // that is known of an occupied cell
};

/// One or more rays: their lines, the distances at which they end, and the steps to where they are.
template <class F>
struct RayLines {
  Vec3<F> origin, direction, inverse;
  F t_end, steps;
};

/// Goes on to the first step at or after the end of the cell that a ray is in at distance t.
template <class F>
MOTE_LANE PassedCell<F> pass_cell(const OccupancyView& bits, const MarchSettings& settings, F t,
                                  const RayLines<F>& ray) {
  using Words = typename LaneWords<F>::Type;
  const Vec3<F> position = ray.origin + ray.direction * t;
  const auto chosen =
      cascade_at(position, step_at(t, settings.cone, settings.smallest), bits.cascades);
  // Sides are powers of two.
  const F per_unit = float_of_bits(Words(254u << 23) - bits_of(chosen.cell_side));
  const Vec3<F> place = position_in_cells(position, per_unit);
  // Rounding may put a position at the border of the box just outside.
  const auto index = [](F x) {
    return word_of(min(max(x, F(0.0f)), F(static_cast<float>(kOccupancySide - 1))));
  };
  const Words x = index(place.x), y = index(place.y), z = index(place.z);
  const Words number =
      chosen.cascade * Words(static_cast<std::uint32_t>(kOccupancyCells)) + cell_index(x, y, z);
  const Words empty = empty_side(bits, number);
  const auto occupied = is_zero(empty);
  const Words side = select(occupied, Words(1u), empty), first_of = Words(0u) - side;
  // The distance at which the ray leaves the cube along one axis.
  const auto axis_exit = [&](Words cell, F origin, F inverse) {
    const F first = float_of(cell & first_of) - F(0.5f * kOccupancySide);
    const F border = select(inverse > F(0.0f), first + float_of(side), first);
    return (border * chosen.cell_side + F(0.5f) - origin) * inverse;
  };
  F exit =
      min(min(axis_exit(x, ray.origin.x, ray.inverse.x), axis_exit(y, ray.origin.y, ray.inverse.y)),
          axis_exit(z, ray.origin.z, ray.inverse.z));
  if (bits.cascades > 1) {
    // From half a cell on, steps need the next cascade.
    const F limit = F(0.5f) * chosen.cell_side * F(settings.inverse_cone);
    const auto last =
        is_zero(chosen.cascade - Words(static_cast<std::uint32_t>(bits.cascades - 1)));
    exit = select(last, exit, min(exit, limit));
  }
  // NaN, of a ray along the border of a cell, becomes 0.
  const F wanted = max(settings.scale.steps_of(min(exit, ray.t_end)) - ray.steps, F(0.0f));
  const F whole = floor(wanted);
  const F end = ray.steps + max(select(whole < wanted, whole + F(1.0f), whole), F(1.0f));
  F density(0.0f);
  if (any(occupied)) {
    density = coarse_density(gather_bytes(bits.densities, select(occupied, number, Words(0u)))) *
              F(1 / kSmallestStep);
  }
  return {end, occupied, density};
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
      const PassedCell<float> cell =
          pass_cell(bits, settings, t,
                    RayLines<float>{ray.origin, ray.direction, ray.inverse, ray.t_end, ray.steps});
      (cell.occupied ? ray.occupied_end : ray.steps) = cell.end;
      if (cell.occupied) ray.density = cell.density;
    }
  }
  return found;
}

}  // namespace mote
