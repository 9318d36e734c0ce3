#pragma once

// A splat with a life, a position of degree 3 in time, and a rotation that turns with time
// (Spacetime Gaussians, Li et al. 2024). With d = t - time_mean:
//   position   mean + velocity d + quadratic d^2 + cubic d^3
//   rotation   that of the quaternion rotation + spin d, of any length
//   weight     as for `life` (splats/motions/life.h)
// The projection normalises quaternions, and its gradient with respect to rotation + spin d has no
// part along it; so the normalisation is not repeated here.
//
// Static splats, as those of `life`, have no motion: none of its values gets a gradient.

#include "splats/motions/life.h"

namespace mote {

struct Poly {
  static constexpr SplatMotion kMotion = SplatMotion::poly;
  static constexpr const char* kName = "poly";
  static constexpr const char* kDescription =
      "a path of degree 3, a rotation, and a life that fades in and out";
  static constexpr bool kHasLife = true, kHasWeight = true, kIsDirectional = false;
  static constexpr int kFieldCount = 16;
  static constexpr Field field(int plane) {
    return static_cast<Field>(static_cast<int>(Field::time_mean) + plane);
  }

  template <class Whole, class F, class Load>
  static MOTE_LANE Vec3<F> mean_at(const Load& load, const SliceQuery<F>& query) {
    const F d = query.time_s - load(kPlane<Whole, Field::time_mean>);
    return {
        path<Whole, Field::mean_x, Field::velocity_x, Field::quadratic_x, Field::cubic_x>(load, d),
        path<Whole, Field::mean_y, Field::velocity_y, Field::quadratic_y, Field::cubic_y>(load, d),
        path<Whole, Field::mean_z, Field::velocity_z, Field::quadratic_z, Field::cubic_z>(load, d)};
  }

  template <class Splat, class F>
  static MOTE_LANE F weight(const Splat& splat, const SliceQuery<F>& query) {
    return Life::weight(splat, query);
  }

  /// The colour that shows the splat's motion; its velocity is that in the middle of its life.
  template <class Whole, class F>
  static MOTE_LANE Vec3<F> painted(const ActivatedSplat<Whole, F>& splat,
                                   const MotionPaint& paint) {
    return Life::painted(splat, paint);
  }

  template <class Whole, class F, class Load>
  static MOTE_LANE auto is_seen(const Load& load, bool activated, const SliceQuery<F>& query) {
    return Life::is_seen<Whole>(load, activated, query);
  }

  /// Splat: StoredSplat or ActivatedSplat.
  template <class Kind, template <class, class> class Splat, class Whole, class F>
  static MOTE_LANE Splat<Kind, F> at(const Splat<Whole, F>& splat, const SliceQuery<F>& query) {
    Splat<Kind, F> moved = Life::at<Kind>(splat, query);
    set_mean<Kind>(moved, mean_at<Whole>([&](int p) { return splat.value[p]; }, query));
    const F d = query.time_s - splat.template get<Field::time_mean>();
    const Quaternion<F> q = splat.rotation(), spin = spin_of(splat);
    moved.value[kPlane<Kind, Field::rotation_w>] = fma(spin.w, d, q.w);
    moved.value[kPlane<Kind, Field::rotation_x>] = fma(spin.x, d, q.x);
    moved.value[kPlane<Kind, Field::rotation_y>] = fma(spin.y, d, q.y);
    moved.value[kPlane<Kind, Field::rotation_z>] = fma(spin.z, d, q.z);
    return moved;
  }

  template <class Kind, class Whole, class F>
  static MOTE_LANE StoredSplat<Whole, F> at_vjp(const StoredSplat<Whole, F>& splat,
                                                const SliceQuery<F>& query,
                                                const StoredSplat<Kind, F>& d_at) {
    // The gradients of the life, the velocity, and of time_mean through both.
    StoredSplat<Whole, F> d = Life::at_vjp<Kind>(splat, query, d_at);
    const F offset = query.time_s - splat.template get<Field::time_mean>();
    const F square = offset * offset;
    const auto moves = is_movable(splat.template get<Field::log_time_plateau>());
    const Vec3<F> d_mean = d_at.mean();
    const Vec3<F> quadratic{splat.template get<Field::quadratic_x>(),
                            splat.template get<Field::quadratic_y>(),
                            splat.template get<Field::quadratic_z>()};
    const Vec3<F> cubic{splat.template get<Field::cubic_x>(), splat.template get<Field::cubic_y>(),
                        splat.template get<Field::cubic_z>()};
    const Quaternion<F> g = d_at.rotation(), spin = spin_of(splat);
    const F along_path =
        dot(d_mean, quadratic) * (offset + offset) + dot(d_mean, cubic) * (square * F(3.0f));
    const F along_turn = fma(g.w, spin.w, fma(g.x, spin.x, fma(g.y, spin.y, g.z * spin.z)));
    F& d_time_mean = d.value[kPlane<Whole, Field::time_mean>];
    d_time_mean = d_time_mean - along_path - along_turn;
    const Vec3<F> d_quadratic = d_mean * square, d_cubic = d_mean * (square * offset);
    d.value[kPlane<Whole, Field::quadratic_x>] = keep(moves, d_quadratic.x);
    d.value[kPlane<Whole, Field::quadratic_y>] = keep(moves, d_quadratic.y);
    d.value[kPlane<Whole, Field::quadratic_z>] = keep(moves, d_quadratic.z);
    d.value[kPlane<Whole, Field::cubic_x>] = keep(moves, d_cubic.x);
    d.value[kPlane<Whole, Field::cubic_y>] = keep(moves, d_cubic.y);
    d.value[kPlane<Whole, Field::cubic_z>] = keep(moves, d_cubic.z);
    d.value[kPlane<Whole, Field::spin_w>] = keep(moves, g.w * offset);
    d.value[kPlane<Whole, Field::spin_x>] = keep(moves, g.x * offset);
    d.value[kPlane<Whole, Field::spin_y>] = keep(moves, g.y * offset);
    d.value[kPlane<Whole, Field::spin_z>] = keep(moves, g.z * offset);
    return d;
  }

 private:
  /// One coordinate of the path at the offset `d` from the middle of the life.
  template <class Whole, Field MEAN, Field VELOCITY, Field QUADRATIC, Field CUBIC, class F,
            class Load>
  static MOTE_LANE F path(const Load& load, F d) {
    const F curved = fma(load(kPlane<Whole, CUBIC>), d, load(kPlane<Whole, QUADRATIC>));
    return fma(fma(curved, d, load(kPlane<Whole, VELOCITY>)), d, load(kPlane<Whole, MEAN>));
  }

  template <template <class, class> class Splat, class Whole, class F>
  static MOTE_LANE Quaternion<F> spin_of(const Splat<Whole, F>& splat) {
    return {splat.template get<Field::spin_w>(), splat.template get<Field::spin_x>(),
            splat.template get<Field::spin_y>(), splat.template get<Field::spin_z>()};
  }
};

}  // namespace mote
