#pragma once

// The stored values of splats: names, activations, groups of learning rates, and layout in memory.
// Kernels use this file too. SplatCloud owns the values.

#include <cstddef>
#include <limits>

#include "lanes/lane.h"

namespace mote {

/// A stored value of one splat. Each kind of splat stores some of the first kKindFields
/// (Kind::field()), each motion some of the others (Motion::field()).
enum class Field : int {
  mean_x,
  mean_y,
  mean_z,
  log_scale_x,
  log_scale_y,
  log_scale_z,
  rotation_w,  // a quaternion of any non-zero length
  rotation_x,
  rotation_y,
  rotation_z,
  logit_opacity,
  beta,  // shape of the kernel of beta splats
  // Motion `life` (splats/motions/life.h). Times in seconds.
  time_mean,
  log_time_sigma,
  log_time_plateau,
  velocity_x,  // world units per second
  velocity_y,
  velocity_z,
  // Motion `poly` (splats/motions/poly.h), which has the fields of `life` too.
  quadratic_x,  // world units per second^2
  quadratic_y,
  quadratic_z,
  cubic_x,  // world units per second^3
  cubic_y,
  cubic_z,
  spin_w,  // per second
  spin_x,
  spin_y,
  spin_z,
  // Motion `conditional` (splats/motions/conditional.h). Directions are unit vectors.
  direction_mean_x,
  direction_mean_y,
  direction_mean_z,
  log_direction_sigma,
  slope_xx,  // d position_x / d direction_x, world units
  slope_xy,
  slope_xz,
  slope_yx,
  slope_yy,
  slope_yz,
  slope_zx,
  slope_zy,
  slope_zz,
};
inline constexpr int kFields = 41;
/// Fields of kinds; those of motions follow.
inline constexpr int kKindFields = 12;
/// The Gaussian stores the first of them.
inline constexpr int kGaussianFields = 11;

/// The function from a stored value to the value that is used.
enum class Activation { none, exp, sigmoid, four_exp };

constexpr Activation activation_of(Field field) {
  if (field >= Field::log_scale_x && field <= Field::log_scale_z) return Activation::exp;
  if (field == Field::log_time_sigma || field == Field::log_time_plateau) return Activation::exp;
  if (field == Field::log_direction_sigma) return Activation::exp;
  if (field == Field::beta) return Activation::four_exp;
  return field == Field::logit_opacity ? Activation::sigmoid : Activation::none;
}

/// The value of a field that a splat does not store. Splats without a life last for ever, and those
/// without directions are seen from everywhere.
constexpr float absent_value(Field field) {
  if (field == Field::log_time_sigma || field == Field::log_direction_sigma) {
    return std::numeric_limits<float>::infinity();
  }
  return activation_of(field) == Activation::exp ? -std::numeric_limits<float>::infinity() : 0.0f;
}

/// The groups of stored values that share a learning rate.
enum class RateGroup : int {
  mean,
  log_scale,
  rotation,
  opacity,
  sh_0,
  sh_rest,
  beta,
  time_mean,
  time_sigma,
  time_plateau,
  velocity,
  quadratic,
  cubic,
  spin,
  direction_mean,
  direction_sigma,
  slope
};
inline constexpr int kRateGroups = 17;

constexpr RateGroup group_of(Field field) {
  if (field <= Field::mean_z) return RateGroup::mean;
  if (field <= Field::log_scale_z) return RateGroup::log_scale;
  if (field <= Field::rotation_z) return RateGroup::rotation;
  if (field >= Field::slope_xx) return RateGroup::slope;
  if (field == Field::log_direction_sigma) return RateGroup::direction_sigma;
  if (field >= Field::direction_mean_x) return RateGroup::direction_mean;
  if (field >= Field::spin_w) return RateGroup::spin;
  if (field >= Field::cubic_x) return RateGroup::cubic;
  if (field >= Field::quadratic_x) return RateGroup::quadratic;
  if (field >= Field::velocity_x) return RateGroup::velocity;
  switch (field) {
    case Field::time_mean:
      return RateGroup::time_mean;
    case Field::log_time_sigma:
      return RateGroup::time_sigma;
    case Field::log_time_plateau:
      return RateGroup::time_plateau;
    case Field::beta:
      return RateGroup::beta;
    default:
      return RateGroup::opacity;
  }
}

/// The input of Adam for one group in one step.
struct AdamRate {
  float rate;          // AdamStep::rate of the step
  const float* drift;  // AdamDrift::sums() of the steps before
};

/// The storage order of the fields of a kind and a motion.
struct FieldPlanes {
  int count;           // number of fields that are stored
  int place[kFields];  // index: Field; position in storage order, -1 if not stored

  MOTE_LANE int of(Field field) const { return place[static_cast<int>(field)]; }
};

inline constexpr int kMaxShDegree = 4;
/// Splats are stored in blocks of 16. Within a block each field is 16 contiguous floats, so that a
/// vector of any width up to 16 loads without a gather. Blocks are 64-byte aligned.
inline constexpr std::size_t kBlockSize = 16;

constexpr int sh_coefficient_count(int degree) {
  return (degree + 1) * (degree + 1);
}

}  // namespace mote
