#pragma once

// The motion `field`: one deformation field, which all splats share, moves them (4D-GS, Wu et al.
// 2024). The field gets a splat's place in its box and the time, and gives offsets that are added
// to the stored values: position, log scales and quaternion. So the gradient by an offset is that
// by the stored value of the moved splat.
//
// Unlike other motions, this one has no values of its own in a splat: a scene is a cloud of splats
// that stand still and a DeformationField (splats/deformation.h), which slices a cloud from it
// before the splats are projected.

#include "math/vector.h"
#include "splats/kinds/stored.h"

namespace mote {

/// Offsets of the first fields of a Gaussian, in the order of Field: mean, log scale, quaternion.
inline constexpr int kOffsets = static_cast<int>(Field::rotation_z) + 1;

/// The box of a field. Positions outside of it are treated as those at its border.
template <class F>
struct MotionBox {
  Vec3<F> low, inverse_size;  // world units, 1 / world units
  F reach;                    // half of its longest side, the unit of position offsets
};

/// The place in the box, 0 to 1.
template <class F>
MOTE_LANE Vec3<F> place_in(const MotionBox<F>& box, Vec3<F> mean) {
  return {(mean.x - box.low.x) * box.inverse_size.x, (mean.y - box.low.y) * box.inverse_size.y,
          (mean.z - box.low.z) * box.inverse_size.z};
}

/// The gradient by the mean.
template <class F>
MOTE_LANE Vec3<F> place_in_vjp(const MotionBox<F>& box, Vec3<F> d_place) {
  return {d_place.x * box.inverse_size.x, d_place.y * box.inverse_size.y,
          d_place.z * box.inverse_size.z};
}

/// The stored value of the field with index `k`, moved by an output of the network.
template <class F>
MOTE_LANE F displaced(int k, const MotionBox<F>& box, F stored, F output) {
  return k <= static_cast<int>(Field::mean_z) ? fma(box.reach, output, stored) : stored + output;
}

/// The gradient by the output.
template <class F>
MOTE_LANE F displaced_vjp(int k, const MotionBox<F>& box, F d_stored) {
  return k <= static_cast<int>(Field::mean_z) ? box.reach * d_stored : d_stored;
}

}  // namespace mote
