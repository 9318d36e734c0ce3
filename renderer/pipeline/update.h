#pragma once

// The update stage of one splat: the gradient of its stored values from its sums, the steps of the
// optimiser, and the statistics of densification.

#include "math/adam.h"
#include "math/spherical_harmonics.h"
#include "pipeline/slice.h"
#include "splats/kinds/kind.h"
#include "splats/motions/moving.h"

namespace mote {

/// Weights of the regularisers of one step, divided by the number of splats; that of the scales
/// also by the number of axes.
template <class F>
struct RegularizerWeights {
  F opacity, scale;
};

/// The gradient of one splat of a moving kind (splats/motions/moving.h), without that of its SH.
template <class Kind, class Motion, class F>
struct GeometryGradient {
  StoredSplat<MovingKind<Kind, Motion>, F> stored;
  F weight;  // of the motion in the view, 0 to 1
  PixelPoint<F> d_mean_px;
  Vec3<F> d_pose_rotation, d_pose_translation;
};

/// The same with that of its SH.
template <class Kind, class Motion, int DEGREE, class F>
struct SplatGradient : GeometryGradient<Kind, Motion, F> {
  F sh[sh_coefficient_count(DEGREE) * 3];  // [coefficient][channel]
};

/// d + weight * d(scale or opacity)/d(stored value) for values that are regularised, else d. The
/// opacity is that in the view, as a function of the stored opacity alone.
/// `own_opacity`: without the motion's weight.
template <Field FIELD, class F, class View>
MOTE_LANE F regularized(F d, const View& view, F own_opacity, RegularizerWeights<F> weights) {
  if constexpr (FIELD == Field::log_scale_x) return fma(weights.scale, view.scale.x, d);
  if constexpr (FIELD == Field::log_scale_y) return fma(weights.scale, view.scale.y, d);
  if constexpr (FIELD == Field::log_scale_z) return fma(weights.scale, view.scale.z, d);
  if constexpr (FIELD == Field::logit_opacity) {
    return d + weights.opacity * view.opacity * (F(1.0f) - own_opacity);
  }
  return d;
}

template <class Whole, class F, class View, int... PLANE>
MOTE_LANE StoredSplat<Whole, F> regularized(const StoredSplat<Whole, F>& d, const View& view,
                                            F own_opacity, RegularizerWeights<F> weights,
                                            std::integer_sequence<int, PLANE...>) {
  return {{regularized<Whole::field(PLANE)>(d.value[PLANE], view, own_opacity, weights)...}};
}

/// Sets `out` to the gradient of the splat's stored values. sh_vjp(direction, d_color) is the vjp
/// of the splat's colour, see sh_colors_vjp(). `time_s` is the time of the view.
template <class Kind, class Motion, bool ANTIALIASED, class F, class ShVjp>
MOTE_LANE void find_geometry_gradient(const ViewCamera<F>& camera, F time_s,
                                      const StoredSplat<MovingKind<Kind, Motion>, F>& stored,
                                      const ShVjp& sh_vjp, const SplatSums<Kind, F>& sums,
                                      RegularizerWeights<F> weights,
                                      GeometryGradient<Kind, Motion, F>& out) {
  using Whole = MovingKind<Kind, Motion>;
  const SliceQuery<F> query = slice_query(camera, time_s);
  const StoredSplat<Kind, F> splat = Motion::template at<Kind>(stored, query);
  const auto view = Kind::view(camera, splat);
  const Vec3<F> d_direction =
      sh_vjp(normalize(view.offset_world),
             Vec3<F>{sums[Kind::kRed], sums[Kind::kGreen], sums[Kind::kBlue]});
  const ViewGradient<Kind, F> g =
      Kind::template view_vjp<ANTIALIASED>(camera, splat, view, sums, d_direction);
  out.d_mean_px = g.d_mean_px;
  out.d_pose_rotation = g.d_pose_rotation;
  out.d_pose_translation = g.d_pose_translation;
  F own_opacity = view.opacity;
  if constexpr (Motion::kIsDirectional) {
    // A translation of the splats in the camera's frame moves the camera against them.
    out.d_pose_translation =
        out.d_pose_translation +
        camera.cam_from_world * Motion::template direction_vjp<Kind>(stored, query, g.stored);
  }
  if constexpr (Motion::kHasWeight) {
    own_opacity = sigmoid(stored.template get<Field::logit_opacity>());
    out.weight = Motion::weight(stored, query);
  } else {
    out.weight = F(1.0f);
  }
  out.stored = regularized(Motion::template at_vjp<Kind>(stored, query, g.stored), view,
                           own_opacity, weights, Planes<Whole>());
}

/// The vjp of a splat's colour, which stores the gradient of its SH as well.
template <int DEGREE, class F, class LoadSh>
struct ShVjp {
  const LoadSh& load_sh;
  F (&d_sh)[sh_coefficient_count(DEGREE) * 3];

  MOTE_LANE Vec3<F> operator()(Vec3<F> direction, Vec3<F> d_color) const {
    return sh_colors_vjp<DEGREE>(direction, load_sh, d_color,
                                 [&](int k, int c, F d) { d_sh[k * 3 + c] = d; });
  }
};

/// find_geometry_gradient() with the gradient of the SH. load_sh(coefficient, channel) returns the
/// splat's SH.
template <class Kind, class Motion, int DEGREE, bool ANTIALIASED, class F, class LoadSh>
MOTE_LANE void find_gradient(const ViewCamera<F>& camera, F time_s,
                             const StoredSplat<MovingKind<Kind, Motion>, F>& stored,
                             const LoadSh& load_sh, const SplatSums<Kind, F>& sums,
                             RegularizerWeights<F> weights,
                             SplatGradient<Kind, Motion, DEGREE, F>& out) {
  find_geometry_gradient<Kind, Motion, ANTIALIASED>(
      camera, time_s, stored, ShVjp<DEGREE, F, LoadSh>{load_sh, out.sh}, sums, weights, out);
}

/// Factor on the learning rate of a splat's velocity. A step of Adam moves the ends of a life by
/// half its length times the step: long lives would never come to rest. So their steps are shorter,
/// such that those ends move as far as those of a life with a sigma and a plateau of `whole_s`
/// together.
template <class F>
MOTE_LANE F velocity_rate_factor(F log_sigma, F log_plateau, float whole_s) {
  const F half_s = max(exp(log_sigma) + exp(log_plateau), F(1e-12f));
  return min(F(whole_s) / half_s, F(1.0f));
}

/// 0 in the lanes whose gradient is finite in all values, NaN in the others.
template <class Kind, class Motion, class F>
MOTE_LANE F finite_probe(const GeometryGradient<Kind, Motion, F>& g) {
  F sum(0.0f);
  MOTE_UNROLL
  for (const F& d : g.stored.value) sum = fma(d, F(0.0f), sum);
  return sum;
}
template <class Kind, class Motion, int DEGREE, class F>
MOTE_LANE F finite_probe(const SplatGradient<Kind, Motion, DEGREE, F>& g) {
  F sum = finite_probe(static_cast<const GeometryGradient<Kind, Motion, F>&>(g));
  MOTE_UNROLL
  for (const F& d : g.sh) sum = fma(d, F(0.0f), sum);
  return sum;
}

/// Whether splats of the kind, which may be a MovingKind, have values in the group.
template <class Kind>
constexpr bool trains(RateGroup group) {
  if (group == RateGroup::sh_0 || group == RateGroup::sh_rest) return true;
  for (int plane = 0; plane < Kind::kFieldCount; ++plane) {
    if (group_of(Kind::field(plane)) == group) return true;
  }
  return false;
}

/// The effect of the steps since a splat's last update.
template <class F>
struct MissedSteps {
  AdamDecay<F> decay;
  F drift[kRateGroups];
};

/// `factor`: of the splat, on the learning rate.
template <class F>
MOTE_LANE AdamState<F> catch_up(const AdamState<F>& s, const MissedSteps<F>& missed,
                                RateGroup group, F factor = F(1.0f)) {
  return adam_catch_up(s, missed.decay, factor * missed.drift[static_cast<int>(group)]);
}

/// The group of an SH value, `plane` = coefficient * 3 + channel.
constexpr RateGroup group_of_sh(int plane) {
  return plane < 3 ? RateGroup::sh_0 : RateGroup::sh_rest;
}

/// The statistic of densification: the norm of dL/d(mean in normalised device coordinates). `width`
/// and `height` of the image, px.
template <class F>
MOTE_LANE F density_gradient(PixelPoint<F> d_mean_px, float width, float height) {
  const F x = d_mean_px.x * F(0.5f * width), y = d_mean_px.y * F(0.5f * height);
  return sqrt(fma(x, x, y * y));
}

/// The statistics of densification of one splat, over the steps in which it was visible.
template <class F>
struct SplatStatistics {
  F gradient_sum;  // of density_gradient()
  F radius_px;     // largest reach_px()
};

/// The larger half extent of a splat in the image.
template <class F>
MOTE_LANE F reach_px(F extent_x, F extent_y) {
  return max(extent_x, extent_y);
}

/// Steps are counted in units of 1 / kSeenUnit, since a step counts by the weight of the motion.
inline constexpr float kSeenUnit = 256;

/// The statistics with one more step; both values are 0 for a splat that is not visible in it.
template <class F>
MOTE_LANE SplatStatistics<F> with_step(const SplatStatistics<F>& before, F gradient, F reach_px) {
  return {before.gradient_sum + gradient, max(before.radius_px, reach_px)};
}

/// The gradient that density_gradient() takes: the signed sum over pixels, or the sum of absolute
/// values.
template <class Kind, class F>
MOTE_LANE PixelPoint<F> statistic_of(const SplatSums<Kind, F>& sums, PixelPoint<F> d_mean_px,
                                     bool absolute) {
  if (absolute) return {sums[Kind::kAbsoluteX], sums[Kind::kAbsoluteY]};
  return d_mean_px;
}

}  // namespace mote
