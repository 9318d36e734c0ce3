#pragma once

// A splat with a life and a velocity (FreeTimeGS, Wang et al. 2025; the flat top as in
// SharpTimeGS 2026). With d = t - time_mean:
//   position   mean + velocity d
//   weight     W = e^(-e^2 / (2 sigma^2)), e = max(|d| - plateau, 0), a factor on the opacity.
// A life ends where opacity W = kAlphaMin (splats/life_range.h).
//
// Splats with a plateau of kLeastStaticPlateau_s or more are static: their weight is 1, and their
// velocity, which is 0, gets no gradient.

#include "math/activations.h"
#include "math/vector.h"
#include "splats/kinds/alpha.h"
#include "splats/kinds/fields.h"
#include "splats/kinds/splat_motion.h"
#include "splats/kinds/stored.h"
#include "splats/motions/motion_paint.h"
#include "splats/motions/slice_query.h"
#include "splats/motions/sliced_values.h"

namespace mote {

/// The stored plateau of static splats: of 4.85e8 s.
inline constexpr float kStaticLogPlateau = 20.0f;
/// Plateaus from here on are those of static splats, s, and as stored: files and steps round.
inline constexpr float kLeastStaticPlateau_s = 475558048.0f,
                       kLeastStaticLogPlateau = 0.999f * kStaticLogPlateau;

/// Whether the stored plateau is that of a static splat. False for NaN.
template <class F>
MOTE_LANE auto is_static(F log_plateau) {
  return log_plateau >= F(kLeastStaticLogPlateau);
}
/// Whether it is that of a splat that may move. False for NaN.
template <class F>
MOTE_LANE auto is_movable(F log_plateau) {
  return log_plateau < F(kLeastStaticLogPlateau);
}

/// The life of one splat: its parameters at one pack of lanes.
template <class F>
struct LifeTime {
  F time_mean, sigma, plateau;  // s
};

/// The weight and the values that its vjp shares.
template <class F>
struct LifeWeight {
  F offset;  // t - time_mean, s
  F excess;  // max(|offset| - plateau, 0), s
  F ratio;   // excess / sigma^2, 1/s
  F weight;
};

template <class F>
MOTE_LANE LifeWeight<F> life_weight(const LifeTime<F>& life, F time_s) {
  LifeWeight<F> w;
  w.offset = time_s - life.time_mean;
  w.excess = max(abs(w.offset) - life.plateau, F(0.0f));
  // A sigma of zero with an excess of zero has the weight 1.
  const F inverse = F(1.0f) / max(life.sigma, F(1e-18f));
  const F sigmas = w.excess * inverse;
  w.ratio = sigmas * inverse;
  w.weight = exp(max(F(-0.5f) * sigmas * sigmas, F(-80.0f)));
  return w;
}

struct Life {
  static constexpr SplatMotion kMotion = SplatMotion::life;
  static constexpr const char* kName = "life";
  static constexpr const char* kDescription =
      "a constant velocity and a life that fades in and out";
  static constexpr bool kHasLife = true, kHasWeight = true, kIsDirectional = false;
  static constexpr int kFieldCount = 6;
  static constexpr Field field(int plane) {
    return static_cast<Field>(static_cast<int>(Field::time_mean) + plane);
  }

  template <class Whole, class F, class Load>
  static MOTE_LANE Vec3<F> mean_at(const Load& load, const SliceQuery<F>& query) {
    const F d = query.time_s - load(kPlane<Whole, Field::time_mean>);
    return {fma(load(kPlane<Whole, Field::velocity_x>), d, load(kPlane<Whole, Field::mean_x>)),
            fma(load(kPlane<Whole, Field::velocity_y>), d, load(kPlane<Whole, Field::mean_y>)),
            fma(load(kPlane<Whole, Field::velocity_z>), d, load(kPlane<Whole, Field::mean_z>))};
  }

  /// The factor on the opacity.
  template <class Splat, class F>
  static MOTE_LANE F weight(const Splat& splat, const SliceQuery<F>& query) {
    return life_weight(life_of(splat), query.time_s).weight;
  }

  /// Whether the splat may be seen. load(p) returns plane p, with activated values or
  /// stored ones.
  template <class Whole, class F, class Load>
  static MOTE_LANE auto is_seen(const Load& load, bool activated, const SliceQuery<F>& query) {
    LifeTime<F> life{load(kPlane<Whole, Field::time_mean>),
                     load(kPlane<Whole, Field::log_time_sigma>),
                     load(kPlane<Whole, Field::log_time_plateau>)};
    F opacity = load(kPlane<Whole, Field::logit_opacity>);
    if (!activated) {
      life.sigma = exp(life.sigma);
      life.plateau = exp(life.plateau);
      opacity = sigmoid(opacity);
    }
    return opacity * life_weight(life, query.time_s).weight >= F(kAlphaMin);
  }

  /// The colour that shows the splat's motion.
  template <class Whole, class F>
  static MOTE_LANE Vec3<F> painted(const ActivatedSplat<Whole, F>& splat,
                                   const MotionPaint& paint) {
    const LifeTime<F> life = life_of(splat);
    const auto moves = life.plateau < F(kLeastStaticPlateau_s);
    Vec3<F> color;
    if (paint.what == PaintedMotion::velocity) {
      color = velocity_color(
          Vec3<F>{splat.template get<Field::velocity_x>(), splat.template get<Field::velocity_y>(),
                  splat.template get<Field::velocity_z>()},
          F(paint.half_speed));
    } else {
      // The half length of a life, see splats/life_range.h.
      const F opacity = splat.template get<Field::logit_opacity>();
      const F ln_ratio = F(0.69314718056f) * (log2(max(opacity, F(kAlphaMin))) - F(kLog2AlphaMin));
      const F half = fma(life.sigma, sqrt(F(2.0f) * max(ln_ratio, F(0.0f))), life.plateau);
      color = life_color(half * F(2.0f / paint.duration_s));
    }
    const F grey(kStillGrey);
    return {select(moves, color.x, grey), select(moves, color.y, grey),
            select(moves, color.z, grey)};
  }

  /// Splat<Kind, F>: ActivatedSplat or StoredSplat.
  template <class Kind, template <class, class> class Splat, class Whole, class F>
  static MOTE_LANE Splat<Kind, F> at(const Splat<Whole, F>& splat, const SliceQuery<F>& query) {
    return weighted_slice<Life, Kind>(splat, query);
  }

  template <class Kind, class Whole, class F>
  static MOTE_LANE StoredSplat<Whole, F> at_vjp(const StoredSplat<Whole, F>& splat,
                                                const SliceQuery<F>& query,
                                                const StoredSplat<Kind, F>& d_at) {
    StoredSplat<Whole, F> d;
    MOTE_UNROLL
    for (int p = 0; p < Kind::kFieldCount; ++p) d.value[p] = d_at.value[p];
    const LifeTime<F> life = life_of(splat);
    const LifeWeight<F> w = life_weight(life, query.time_s);
    const WeightedOpacity<F> o =
        weighted_opacity(splat.template get<Field::logit_opacity>(), w.weight);
    const Vec3<F> d_mean = d_at.mean();
    const F h = d_log_of_weighted(o, d_at.template get<Field::logit_opacity>());
    const F excess_rate = h * w.ratio;  // -dL/d(excess)
    const F one_minus = F(1.0f) - o.opacity;
    d.value[kPlane<Whole, Field::logit_opacity>] = h * one_minus;
    d.value[kPlane<Whole, Field::log_time_sigma>] = excess_rate * w.excess;
    d.value[kPlane<Whole, Field::log_time_plateau>] = excess_rate * life.plateau;
    const Vec3<F> v{splat.template get<Field::velocity_x>(),
                    splat.template get<Field::velocity_y>(),
                    splat.template get<Field::velocity_z>()};
    const F signed_rate = select(w.offset < F(0.0f), -excess_rate, excess_rate);
    d.value[kPlane<Whole, Field::time_mean>] = signed_rate - dot(d_mean, v);
    const auto moves = is_movable(splat.template get<Field::log_time_plateau>());
    const Vec3<F> d_velocity = d_mean * w.offset;
    d.value[kPlane<Whole, Field::velocity_x>] = keep(moves, d_velocity.x);
    d.value[kPlane<Whole, Field::velocity_y>] = keep(moves, d_velocity.y);
    d.value[kPlane<Whole, Field::velocity_z>] = keep(moves, d_velocity.z);
    return d;
  }

 private:
  template <class Whole, class F>
  static MOTE_LANE LifeTime<F> life_of(const StoredSplat<Whole, F>& splat) {
    return {splat.template get<Field::time_mean>(),
            exp(splat.template get<Field::log_time_sigma>()),
            exp(splat.template get<Field::log_time_plateau>())};
  }
  template <class Whole, class F>
  static MOTE_LANE LifeTime<F> life_of(const ActivatedSplat<Whole, F>& splat) {
    return {splat.template get<Field::time_mean>(), splat.template get<Field::log_time_sigma>(),
            splat.template get<Field::log_time_plateau>()};
  }
};

}  // namespace mote
