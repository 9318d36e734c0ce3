#pragma once

// The deformable beta splat (Liu et al. 2025, "Deformable Beta Splatting"): alpha = opacity
// (1 - r^2)^b inside its ellipsoid, 0 outside; r^2 is the Mahalanobis form of its footprint and
// b = 4 e^beta. Its scales are the radii of the ellipsoid, so its support is bounded.

#include "splats/kinds/ewa.h"
#include "splats/kinds/kind.h"

namespace mote {

struct Beta {
  static constexpr SplatKind kKind = SplatKind::beta;
  static constexpr const char* kName = "beta";
  static constexpr const char* kDescription = "a kernel with a learned falloff and an end";
  /// Prefixes of the names of harmonics in .ply files: degree 0, and other degrees.
  static constexpr const char* kShPrefixes[] = {"sh0_", "shN_"};
  static constexpr bool kIsSurface = false, kTestsCells = false, kFormIsExponent = false;
  static constexpr int kFieldCount = kGaussianFields + 1;
  static constexpr Field field(int plane) {
    return plane < kGaussianFields ? static_cast<Field>(plane) : Field::beta;
  }

  /// The exponent b, and r^2 per unit of (log2_opacity - q), with q of splats/kinds/ellipse.h.
  enum Word : int { kExponent, kSquarePerForm, kExtraWords };

  /// As Gaussian::Sum, but the sums with x and y hold g * 2 b / (1 - r^2) instead of g.
  enum Sum : int {
    kRed,
    kGreen,
    kBlue,
    kG,     // sum of g
    kGLog,  // sum of g ln(1 - r^2)
    kGx,
    kGy,
    kGxx,
    kGxy,
    kGyy,
    kAbsoluteX,
    kAbsoluteY,
    kSums
  };

  template <bool ANTIALIASED, class F>
  static MOTE_LANE Projected<Beta, F> project(const ViewCamera<F>& camera, ImageBounds<F> image,
                                              Vec3<F> p_cam, const ActivatedSplat<Beta, F>& splat,
                                              F splat_scale) {
    const F exponent = splat.template get<Field::beta>(), one(1.0f);
    F form_per_square(one);
    ProjectedEllipsoid<F> p = project_footprint<ANTIALIASED>(
        camera, image, p_cam,
        splat_axes(rotation_from(splat.rotation()), splat.scale() * splat_scale), splat.opacity(),
        [&](F limit) {
          // alpha = kAlphaMin where (1 - r^2)^b = 2^-limit.
          const F reach2 =
              max(one - exp2_or_zero(max(-limit / exponent, F(-125.0f))), F(kSmallest));
          form_per_square = max(limit, F(kSmallest)) / reach2;
          return reach2;
        });
    // The ellipse r^2 <= reach2, as kinds/ellipse.h describes it.
    const F shrink = F(kHalfLog2E) / form_per_square;
    p.bound.covariance = {p.bound.covariance.xx * shrink, p.bound.covariance.xy * shrink,
                          p.bound.covariance.yy * shrink};
    p.bound.determinant = p.bound.determinant * shrink * shrink;
    return {p.bound, {{exponent, one / form_per_square}}};
  }

  /// The response at a lane of pixels.
  template <class F>
  struct At {
    F log2_alpha;
    F rest;       // 1 - r^2
    F log2_rest;  // its logarithm
  };

  template <class F>
  static MOTE_LANE At<F> respond(const BlendedSplat<Beta, F>& s, F form_value, F, F) {
    // Rounded once, so that the forward and the backward pass agree.
    const F rest = fnma(s.log2_opacity - form_value, s.extra.value[kSquarePerForm], F(1.0f));
    const F log2_rest = log2(max(rest, F(kSmallest)));
    const F inside = fma(s.extra.value[kExponent], log2_rest, s.log2_opacity);
    return {select(rest > F(kSmallest), inside, F(kOutside)), rest, log2_rest};
  }
  template <class F>
  static MOTE_LANE F log2_alpha(const At<F>& at) {
    return at.log2_alpha;
  }
  template <class F>
  static MOTE_LANE F depth(const BlendedSplat<Beta, F>& s, const At<F>&) {
    return s.depth;
  }

  template <bool ABSOLUTE, class F>
  static MOTE_LANE void add(const BlendedSplat<Beta, F>& s, const At<F>& at, F g, F x, F y,
                            SplatSums<Beta, F>& sums) {
    const F g_square = add_shape<ABSOLUTE>(s, at, g, x, y, sums);
    const F g_x = g_square * x, g_y = g_square * y;
    sums[kGx] = sums[kGx] + g_x;
    sums[kGy] = sums[kGy] + g_y;
    sums[kGxx] = fma(g_x, x, sums[kGxx]);
    sums[kGxy] = fma(g_x, y, sums[kGxy]);
    sums[kGyy] = fma(g_y, y, sums[kGyy]);
  }

  /// Until finish_column(), kGx holds the sum of g, without the factor x.
  template <bool ABSOLUTE, class F>
  static MOTE_LANE void add_in_column(const BlendedSplat<Beta, F>& s, const At<F>& at, F g, F x,
                                      F y, SplatSums<Beta, F>& sums) {
    const F g_square = add_shape<ABSOLUTE>(s, at, g, x, y, sums);
    const F g_y = g_square * y;
    sums[kGx] = sums[kGx] + g_square;
    sums[kGy] = sums[kGy] + g_y;
    sums[kGyy] = fma(g_y, y, sums[kGyy]);
  }
  template <class F>
  static MOTE_LANE void finish_column(F x, SplatSums<Beta, F>& sums) {
    sums[kGx] = sums[kGx] * x;
    sums[kGxx] = sums[kGx] * x;
    sums[kGxy] = sums[kGy] * x;
  }

  template <class F>
  struct View : EllipsoidView<F> {
    F exponent;
  };

  template <class F>
  static MOTE_LANE View<F> view(const ViewCamera<F>& camera, const StoredSplat<Beta, F>& splat) {
    return {view_ellipsoid(camera, ellipsoid_of(splat)),
            activated_value<Activation::four_exp>(splat.template get<Field::beta>())};
  }

  template <bool ANTIALIASED, class F>
  static MOTE_LANE ViewGradient<Beta, F> view_vjp(const ViewCamera<F>& camera,
                                                  const StoredSplat<Beta, F>& splat,
                                                  const View<F>& view,
                                                  const SplatSums<Beta, F>& sums,
                                                  Vec3<F> d_direction) {
    EllipsoidViewGradient<F> g;
    g.d_mean_px = mean_gradient(view.conic, sums[kGx], sums[kGy]);
    g.d_conic = conic_gradient(sums[kGxx], sums[kGxy], sums[kGyy]);
    g.d_log_opacity = sums[kG];
    g.d_direction = d_direction;
    const EllipsoidGradient<F> d =
        view_ellipsoid_vjp<ANTIALIASED, F>(camera, ellipsoid_of(splat), view, g);
    return {{{d.d.mean_world.x, d.d.mean_world.y, d.d.mean_world.z, d.d.log_scale.x,
              d.d.log_scale.y, d.d.log_scale.z, d.d.rotation.w, d.d.rotation.x, d.d.rotation.y,
              d.d.rotation.z, d.d.logit_opacity, sums[kGLog] * view.exponent}},
            g.d_mean_px,
            d.d_pose_rotation,
            d.d_pose_translation};
  }

  /// Standard deviation of the kernel as a density, per unit of scale: that of (1 - r^2)^b over an
  /// ellipsoid.
  template <class F>
  static MOTE_LANE F spread(const StoredSplat<Beta, F>& splat) {
    const F b = activated_value<Activation::four_exp>(splat.template get<Field::beta>());
    return F(1.0f) / sqrt(fma(F(2.0f), b, F(5.0f)));
  }
  /// Copies that share a position keep the original's scales (section 4 of the paper).
  static constexpr bool kSharingScales = false;
  /// Factor on the exploration noise at an opacity.
  template <class F>
  static MOTE_LANE F exploration_gate(F opacity) {
    return exp2_or_zero(F(kExplorationPower) * log2(max(F(1.0f) - opacity, F(1e-30f))));
  }

 private:
  static constexpr float kSmallest = 1e-6f;   // 1 - r^2, limit: below it there is no response
  static constexpr float kSteepest = 1e-3f;   // 1 - r^2, in derivatives, which diverge at the rim
  static constexpr float kOutside = -100.0f;  // log2(alpha) outside the ellipsoid
  static constexpr float kExplorationPower = 100.0f;

  template <class F>
  static MOTE_LANE EllipsoidParameters<F> ellipsoid_of(const StoredSplat<Beta, F>& s) {
    return {s.mean(), s.log_scale(), s.rotation(), s.template get<Field::logit_opacity>()};
  }

  /// Adds the sums of opacity and shape. Returns -2 dL/d(r^2).
  template <bool ABSOLUTE, class F>
  static MOTE_LANE F add_shape(const BlendedSplat<Beta, F>& s, const At<F>& at, F g, F x, F y,
                               SplatSums<Beta, F>& sums) {
    const F ln2(0.6931471806f), half_log2_e(kHalfLog2E);
    const F g_square =
        F(2.0f) * g * s.extra.value[kExponent] * reciprocal(max(at.rest, F(kSteepest)));
    sums[kG] = sums[kG] + g;
    sums[kGLog] = fma(g * ln2, at.log2_rest, sums[kGLog]);
    if constexpr (ABSOLUTE) {
      add_absolute(s.form, g_square * half_log2_e * s.extra.value[kSquarePerForm], x, y,
                   sums[kAbsoluteX], sums[kAbsoluteY]);
    }
    return g_square;
  }
};

}  // namespace mote
