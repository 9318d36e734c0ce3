#pragma once

// A splat whose position and opacity depend on the direction in which the camera sees it: a
// Gaussian of position and direction, conditioned on the direction (6DGS, Gao et al. 2024). With
// the direction q = (mean - eye) / |mean - eye| and d = q - direction_mean:
//   position   mean + slope d              slope = Sigma_pq Sigma_qq^-1
//   weight     W = e^(-lambda d^T P d)     P = Sigma_qq^-1, a factor on the opacity
// Scales and rotation are those of the conditional covariance, which does not depend on q.
//
// Here P = 1 / sigma^2 in all directions. A round lobe turns with the splat exactly, and needs one
// value instead of six. Slope and sigma are independent of each other, so another lambda would only
// change the unit of sigma. Directions are those of the stored mean, since the position in the
// slice depends on them. Gradients flow through them.

#include "splats/kinds/alpha.h"
#include "splats/kinds/splat_motion.h"
#include "splats/motions/motion_paint.h"
#include "splats/motions/slice_query.h"
#include "splats/motions/sliced_values.h"

namespace mote {

inline constexpr float kLambdaOpacity = 0.35f;

struct Conditional {
  static constexpr SplatMotion kMotion = SplatMotion::conditional;
  static constexpr const char* kName = "conditional";
  static constexpr const char* kDescription =
      "a position and an opacity that depend on the direction of view (6DGS)";
  static constexpr bool kHasLife = false, kHasWeight = true, kIsDirectional = true;
  static constexpr int kFieldCount = 13;
  static constexpr Field field(int plane) {
    return static_cast<Field>(static_cast<int>(Field::direction_mean_x) + plane);
  }

  template <class Whole, class F, class Load>
  static MOTE_LANE Vec3<F> mean_at(const Load& load, const SliceQuery<F>& query) {
    return mean_of<Whole, F>(load) + slope_of<Whole, F>(load) * difference<Whole>(load, query);
  }

  /// The factor on the opacity.
  template <class Whole, class F>
  static MOTE_LANE F weight(const StoredSplat<Whole, F>& splat, const SliceQuery<F>& query) {
    return weight_at<Whole>([&](int p) { return splat.value[p]; },
                            exp(splat.template get<Field::log_direction_sigma>()), query);
  }
  template <class Whole, class F>
  static MOTE_LANE F weight(const ActivatedSplat<Whole, F>& splat, const SliceQuery<F>& query) {
    return weight_at<Whole>([&](int p) { return splat.value[p]; },
                            splat.template get<Field::log_direction_sigma>(), query);
  }

  /// Whether the splat may be seen. load(p) returns plane p, with activated values or stored ones.
  template <class Whole, class F, class Load>
  static MOTE_LANE auto is_seen(const Load& load, bool activated, const SliceQuery<F>& query) {
    F sigma = load(kPlane<Whole, Field::log_direction_sigma>);
    F opacity = load(kPlane<Whole, Field::logit_opacity>);
    if (!activated) {
      sigma = exp(sigma);
      opacity = sigmoid(opacity);
    }
    return opacity * weight_at<Whole>(load, sigma, query) >= F(kAlphaMin);
  }

  /// The colour of splats that do not move in time.
  template <class Whole, class F>
  static MOTE_LANE Vec3<F> painted(const ActivatedSplat<Whole, F>&, const MotionPaint&) {
    return {F(kStillGrey), F(kStillGrey), F(kStillGrey)};
  }

  /// Splat<Kind, F>: ActivatedSplat or StoredSplat.
  template <class Kind, template <class, class> class Splat, class Whole, class F>
  static MOTE_LANE Splat<Kind, F> at(const Splat<Whole, F>& splat, const SliceQuery<F>& query) {
    return weighted_slice<Conditional, Kind>(splat, query);
  }

  template <class Kind, class Whole, class F>
  static MOTE_LANE StoredSplat<Whole, F> at_vjp(const StoredSplat<Whole, F>& splat,
                                                const SliceQuery<F>& query,
                                                const StoredSplat<Kind, F>& d_at) {
    StoredSplat<Whole, F> d;
    MOTE_UNROLL
    for (int p = 0; p < Kind::kFieldCount; ++p) d.value[p] = d_at.value[p];
    const DirectionGradient<F> g = direction_gradient<Kind>(splat, query, d_at);
    const Vec3<F> d_mean = d_at.mean();
    set_mean<Whole>(d, d_mean + normalize_vjp(g.offset, g.d_difference));
    d.value[kPlane<Whole, Field::logit_opacity>] = g.d_logit_opacity;
    d.value[kPlane<Whole, Field::direction_mean_x>] = -g.d_difference.x;
    d.value[kPlane<Whole, Field::direction_mean_y>] = -g.d_difference.y;
    d.value[kPlane<Whole, Field::direction_mean_z>] = -g.d_difference.z;
    d.value[kPlane<Whole, Field::log_direction_sigma>] = g.d_log_sigma;
    put_row<Whole, Field::slope_xx>(d, g.difference * d_mean.x);
    put_row<Whole, Field::slope_yx>(d, g.difference * d_mean.y);
    put_row<Whole, Field::slope_zx>(d, g.difference * d_mean.z);
    return d;
  }

  /// dL/d(mean - eye) through the direction alone, in the frame of the splats.
  template <class Kind, class Whole, class F>
  static MOTE_LANE Vec3<F> direction_vjp(const StoredSplat<Whole, F>& splat,
                                         const SliceQuery<F>& query,
                                         const StoredSplat<Kind, F>& d_at) {
    const DirectionGradient<F> g = direction_gradient<Kind>(splat, query, d_at);
    return normalize_vjp(g.offset, g.d_difference);
  }

 private:
  template <class F>
  struct DirectionGradient {
    Vec3<F> offset;                    // mean - eye, world units
    Vec3<F> difference, d_difference;  // of the direction from its mean
    F d_log_sigma, d_logit_opacity;
  };

  template <class Kind, class Whole, class F>
  static MOTE_LANE DirectionGradient<F> direction_gradient(const StoredSplat<Whole, F>& splat,
                                                           const SliceQuery<F>& query,
                                                           const StoredSplat<Kind, F>& d_at) {
    const auto load = [&](int p) { return splat.value[p]; };
    DirectionGradient<F> g;
    g.offset = splat.mean() - query.eye_world;
    g.difference = difference<Whole>(load, query);
    const F precision = precision_of(exp(splat.template get<Field::log_direction_sigma>()));
    const F form = precision * dot(g.difference, g.difference);
    const WeightedOpacity<F> o =
        weighted_opacity(splat.template get<Field::logit_opacity>(), weight_of(form));
    const F h = d_log_of_weighted(o, d_at.template get<Field::logit_opacity>());
    const F rate = h * F(2.0f * kLambdaOpacity);
    g.d_difference =
        transpose_times(slope_of<Whole, F>(load), d_at.mean()) - g.difference * (rate * precision);
    g.d_log_sigma = rate * form;
    g.d_logit_opacity = h * (F(1.0f) - o.opacity);
    return g;
  }

  template <class Whole, class F, class Load>
  static MOTE_LANE Vec3<F> mean_of(const Load& load) {
    return {load(kPlane<Whole, Field::mean_x>), load(kPlane<Whole, Field::mean_y>),
            load(kPlane<Whole, Field::mean_z>)};
  }

  template <class Whole, class F, class Load>
  static MOTE_LANE Mat3<F> slope_of(const Load& load) {
    return {{load(kPlane<Whole, Field::slope_xx>), load(kPlane<Whole, Field::slope_xy>),
             load(kPlane<Whole, Field::slope_xz>)},
            {load(kPlane<Whole, Field::slope_yx>), load(kPlane<Whole, Field::slope_yy>),
             load(kPlane<Whole, Field::slope_yz>)},
            {load(kPlane<Whole, Field::slope_zx>), load(kPlane<Whole, Field::slope_zy>),
             load(kPlane<Whole, Field::slope_zz>)}};
  }

  /// The direction minus its mean.
  template <class Whole, class F, class Load>
  static MOTE_LANE Vec3<F> difference(const Load& load, const SliceQuery<F>& query) {
    return normalize(mean_of<Whole, F>(load) - query.eye_world) -
           Vec3<F>{load(kPlane<Whole, Field::direction_mean_x>),
                   load(kPlane<Whole, Field::direction_mean_y>),
                   load(kPlane<Whole, Field::direction_mean_z>)};
  }

  /// 1 / sigma^2, finite for a sigma of zero.
  template <class F>
  static MOTE_LANE F precision_of(F sigma) {
    const F inverse = F(1.0f) / max(sigma, F(1e-9f));
    return inverse * inverse;
  }

  /// The weight at a value of d^T P d.
  template <class F>
  static MOTE_LANE F weight_of(F form) {
    return exp(max(F(-kLambdaOpacity) * form, F(-80.0f)));
  }

  template <class Whole, class F, class Load>
  static MOTE_LANE F weight_at(const Load& load, F sigma, const SliceQuery<F>& query) {
    const Vec3<F> d = difference<Whole>(load, query);
    return weight_of(precision_of(sigma) * dot(d, d));
  }

  /// Sets the value of the field FIRST and the next two.
  template <class Whole, Field FIRST, class F>
  static MOTE_LANE void put_row(StoredSplat<Whole, F>& splat, Vec3<F> row) {
    constexpr int kFirst = kPlane<Whole, FIRST>;
    splat.value[kFirst] = row.x;
    splat.value[kFirst + 1] = row.y;
    splat.value[kFirst + 2] = row.z;
  }
};

}  // namespace mote
