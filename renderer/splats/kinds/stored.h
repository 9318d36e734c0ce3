#pragma once

// The values of one splat, in lanes, in the storage order of its kind. Stored and activated values
// are two types, so that a logarithm cannot be mistaken for a scale.

#include <limits>
#include <utility>

#include "math/activations.h"
#include "math/quaternion.h"
#include "math/vector.h"
#include "splats/kinds/fields.h"

namespace mote {

/// The plane of a field within a block of the kind; -1 if the kind does not store it.
template <class Kind>
constexpr int plane_of(Field field) {
  for (int plane = 0; plane < Kind::kFieldCount; ++plane) {
    if (Kind::field(plane) == field) return plane;
  }
  return -1;
}

/// The same as a constant, for device code.
template <class Kind, Field FIELD>
inline constexpr int kPlane = plane_of<Kind>(FIELD);

/// Stored values: logarithms and logits. Also gradients with respect to them.
template <class Kind, class F>
struct StoredSplat {
  F value[Kind::kFieldCount];

  template <Field FIELD>
  MOTE_LANE F get() const {
    static_assert(kPlane<Kind, FIELD> >= 0);
    return value[kPlane<Kind, FIELD>];
  }
  MOTE_LANE Vec3<F> mean() const {
    return {get<Field::mean_x>(), get<Field::mean_y>(), get<Field::mean_z>()};
  }
  /// Minus infinity along an axis that the kind lacks.
  MOTE_LANE Vec3<F> log_scale() const {
    F z(-std::numeric_limits<float>::infinity());
    if constexpr (kPlane<Kind, Field::log_scale_z> >= 0) z = get<Field::log_scale_z>();
    return {get<Field::log_scale_x>(), get<Field::log_scale_y>(), z};
  }
  MOTE_LANE Quaternion<F> rotation() const {
    return {get<Field::rotation_w>(), get<Field::rotation_x>(), get<Field::rotation_y>(),
            get<Field::rotation_z>()};
  }
};

/// Activated values: scales and opacities. A field names the stored parameter, and get() returns
/// its activation.
template <class Kind, class F>
struct ActivatedSplat {
  F value[Kind::kFieldCount];

  template <Field FIELD>
  MOTE_LANE F get() const {
    static_assert(kPlane<Kind, FIELD> >= 0);
    return value[kPlane<Kind, FIELD>];
  }
  MOTE_LANE Vec3<F> mean() const {
    return {get<Field::mean_x>(), get<Field::mean_y>(), get<Field::mean_z>()};
  }
  /// Standard deviations along the axes, world units; zero along an axis that the kind lacks.
  MOTE_LANE Vec3<F> scale() const {
    F z(0.0f);
    if constexpr (kPlane<Kind, Field::log_scale_z> >= 0) z = get<Field::log_scale_z>();
    return {get<Field::log_scale_x>(), get<Field::log_scale_y>(), z};
  }
  MOTE_LANE Quaternion<F> rotation() const {
    return {get<Field::rotation_w>(), get<Field::rotation_x>(), get<Field::rotation_y>(),
            get<Field::rotation_z>()};
  }
  MOTE_LANE F opacity() const { return get<Field::logit_opacity>(); }
};

template <Activation ACTIVATION, class F>
MOTE_LANE F activated_value(F stored) {
  if constexpr (ACTIVATION == Activation::exp) return exp(stored);
  if constexpr (ACTIVATION == Activation::sigmoid) return sigmoid(stored);
  if constexpr (ACTIVATION == Activation::four_exp) return F(4.0f) * exp(stored);
  return stored;
}

/// The same for a field that is known at run time only.
template <class F>
MOTE_LANE F activated(Field field, F stored) {
  switch (activation_of(field)) {
    case Activation::exp:
      return exp(stored);
    case Activation::sigmoid:
      return sigmoid(stored);
    case Activation::four_exp:
      return F(4.0f) * exp(stored);
    case Activation::none:
      break;
  }
  return stored;
}

/// The splat of type Splat (StoredSplat or ActivatedSplat) whose values load(plane) returns.
template <class Splat, class Load, int... PLANE>
MOTE_LANE Splat load_splat(const Load& load, std::integer_sequence<int, PLANE...>) {
  return {{load(PLANE)...}};
}

template <class Kind>
using Planes = std::make_integer_sequence<int, Kind::kFieldCount>;

template <class Kind, class F, class Load>
MOTE_LANE StoredSplat<Kind, F> load_stored(const Load& load) {
  return load_splat<StoredSplat<Kind, F>>(load, Planes<Kind>());
}

template <class Kind, class F, class Load>
MOTE_LANE ActivatedSplat<Kind, F> load_activated(const Load& load) {
  return load_splat<ActivatedSplat<Kind, F>>(load, Planes<Kind>());
}

template <class Kind, class F, int... PLANE>
MOTE_LANE ActivatedSplat<Kind, F> activate(const StoredSplat<Kind, F>& splat,
                                           std::integer_sequence<int, PLANE...>) {
  return {{activated_value<activation_of(Kind::field(PLANE))>(splat.value[PLANE])...}};
}

template <class Kind, class F>
MOTE_LANE ActivatedSplat<Kind, F> activate(const StoredSplat<Kind, F>& splat) {
  return activate(splat, Planes<Kind>());
}

}  // namespace mote
