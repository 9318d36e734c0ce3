#pragma once

// Parts that motions share: the values of the kind in a splat with a motion, and the opacity under
// the weight of a motion.

#include "math/activations.h"
#include "math/vector.h"
#include "splats/kinds/fields.h"
#include "splats/kinds/stored.h"
#include "splats/motions/slice_query.h"

namespace mote {

/// The values of the kind. Splat: StoredSplat or ActivatedSplat of the kind.
template <class Splat, class Kind, class From>
MOTE_LANE Splat own_values(const From& splat) {
  Splat own;
  MOTE_UNROLL
  for (int p = 0; p < Kind::kFieldCount; ++p) own.value[p] = splat.value[p];
  return own;
}

template <class Kind, class Splat, class F>
MOTE_LANE void set_mean(Splat& splat, Vec3<F> mean) {
  splat.value[kPlane<Kind, Field::mean_x>] = mean.x;
  splat.value[kPlane<Kind, Field::mean_y>] = mean.y;
  splat.value[kPlane<Kind, Field::mean_z>] = mean.z;
}

template <class F>
struct WeightedOpacity {
  F opacity;  // without the weight W
  F left;     // 1 - opacity W
};

/// Keeps the small difference of 1 and opacity W exactly.
template <class F>
MOTE_LANE WeightedOpacity<F> weighted_opacity(F logit_opacity, F weight) {
  const F opacity = sigmoid(logit_opacity);
  return {opacity, fma(opacity, F(1.0f) - weight, sigmoid(-logit_opacity))};
}

/// logit(opacity W)
template <class F>
MOTE_LANE F weighted_logit(const WeightedOpacity<F>& o, F weight) {
  const F ln2(0.69314718056f), tiny(1e-36f);
  return ln2 * (log2(max(o.opacity * weight, tiny)) - log2(max(o.left, tiny)));
}

/// The slice of a splat by a motion with a weight.
template <class Motion, class Kind, class Whole, class F>
MOTE_LANE ActivatedSplat<Kind, F> weighted_slice(const ActivatedSplat<Whole, F>& splat,
                                                 const SliceQuery<F>& query) {
  ActivatedSplat<Kind, F> slice = own_values<ActivatedSplat<Kind, F>, Kind>(splat);
  set_mean<Kind>(slice,
                 Motion::template mean_at<Whole>([&](int p) { return splat.value[p]; }, query));
  F& opacity = slice.value[kPlane<Kind, Field::logit_opacity>];
  opacity = opacity * Motion::weight(splat, query);
  return slice;
}

/// The same of a stored splat, whose opacity becomes logit(opacity W).
template <class Motion, class Kind, class Whole, class F>
MOTE_LANE StoredSplat<Kind, F> weighted_slice(const StoredSplat<Whole, F>& splat,
                                              const SliceQuery<F>& query) {
  StoredSplat<Kind, F> slice = own_values<StoredSplat<Kind, F>, Kind>(splat);
  set_mean<Kind>(slice,
                 Motion::template mean_at<Whole>([&](int p) { return splat.value[p]; }, query));
  F& logit = slice.value[kPlane<Kind, Field::logit_opacity>];
  const F w = Motion::weight(splat, query);
  logit = weighted_logit(weighted_opacity(logit, w), w);
  return slice;
}

/// dL/d ln(opacity W) from dL/d logit(opacity W). It needs no division by W.
template <class F>
MOTE_LANE F d_log_of_weighted(const WeightedOpacity<F>& o, F d_logit) {
  return d_logit / max(o.left, F(1e-36f));
}

}  // namespace mote
