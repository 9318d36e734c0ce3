#pragma once

// The eikonal loss of a signed distance function (Gropp et al. 2020, "Implicit Geometric
// Regularization"): the squared difference of its gradient's length from 1.

#include "lanes/scalar.h"
#include "math/vector.h"

namespace mote {

/// Added to squared lengths, so that the loss has a slope at 0.
inline constexpr float kEikonalFloor = 1e-12f;

template <class F>
struct EikonalLoss {
  F value;
  Vec3<F> d_slope;  // by the gradient of the distance
};

template <class F>
MOTE_LANE EikonalLoss<F> eikonal_loss(const Vec3<F>& slope) {
  const F square = fma(slope.x, slope.x, fma(slope.y, slope.y, slope.z * slope.z));
  const F length = sqrt(square + F(kEikonalFloor)), excess = length - F(1.0f);
  const F factor = F(2.0f) * excess / length;
  return {excess * excess, {factor * slope.x, factor * slope.y, factor * slope.z}};
}

}  // namespace mote
