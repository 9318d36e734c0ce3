#pragma once

// The 3D Gaussian (Kerbl et al. 2023): alpha = opacity e^-sigma, sigma the Mahalanobis form of its
// footprint.

#include "splats/kinds/ewa.h"
#include "splats/kinds/kind.h"

namespace mote {

template <class F>
struct Response {
  F falloff;  // e^-sigma
  F alpha;    // min(kAlphaMax, opacity * falloff); skipped below kAlphaMin
};

/// The response of a Gaussian at a pixel, as a reference formula. (dx, dy) = splat mean - pixel
/// centre, px.
template <class F>
MOTE_LANE Response<F> response_at(Conic<F> q, F opacity, F dx, F dy) {
  const F sigma = F(0.5f) * (q.a * dx * dx + q.c * dy * dy) + q.b * dx * dy;
  const F falloff = exp(-sigma);
  return {falloff, min(F(kAlphaMax), opacity * falloff)};
}

template <class F>
struct ResponseGradient {
  Conic<F> d_conic;
  F d_opacity, d_x, d_y;
};

/// The vjp of the response. A clamped alpha gets no gradient.
template <class F>
MOTE_LANE ResponseGradient<F> response_vjp(Conic<F> q, F opacity, F dx, F dy, F falloff,
                                           F d_alpha) {
  const F d = keep(opacity * falloff < F(kAlphaMax), d_alpha);
  const F d_sigma = -(d * opacity * falloff), half(0.5f);
  return {{d_sigma * half * dx * dx, d_sigma * dx * dy, d_sigma * half * dy * dy},
          d * falloff,
          d_sigma * (q.a * dx + q.b * dy),
          d_sigma * (q.b * dx + q.c * dy)};
}

struct Gaussian {
  static constexpr SplatKind kKind = SplatKind::gaussian;
  static constexpr const char* kName = "gaussian";
  static constexpr const char* kDescription = "a 3D Gaussian";
  /// Prefixes of the names of harmonics in .ply files: degree 0, and other degrees.
  static constexpr const char* kShPrefixes[] = {"f_dc_", "f_rest_"};
  static constexpr bool kIsSurface = false, kTestsCells = false, kFormIsExponent = true;
  static constexpr int kFieldCount = kGaussianFields;
  static constexpr Field field(int plane) { return static_cast<Field>(plane); }

  /// Number of words of a projected splat after those that all kinds have.
  static constexpr int kExtraWords = 0;

  /// Sums over pixels from which a splat's gradient is computed. g = dL/d ln(alpha); (x, y) is the
  /// pixel relative to the mean, px.
  enum Sum : int {
    kRed,  // dL/dcolour
    kGreen,
    kBlue,
    kG,  // sums of g, g x, g y, g x^2, g x y, g y^2
    kGx,
    kGy,
    kGxx,
    kGxy,
    kGyy,
    kAbsoluteX,  // sums of |dL/dmean_px| per pixel; optional (AbsGS, Ye et al. 2024)
    kAbsoluteY,
    kSums
  };

  template <bool ANTIALIASED, class F>
  static MOTE_LANE Projected<Gaussian, F> project(const ViewCamera<F>& camera, ImageBounds<F> image,
                                                  Vec3<F> p_cam,
                                                  const ActivatedSplat<Gaussian, F>& splat,
                                                  F splat_scale) {
    return {project_footprint<ANTIALIASED>(
                camera, image, p_cam,
                splat_axes(rotation_from(splat.rotation()), splat.scale() * splat_scale),
                splat.opacity(), [](F limit) { return limit * F(1.0f / kHalfLog2E); })
                .bound,
            {}};
  }

  /// The response at a lane of pixels: log2(alpha).
  template <class F>
  using At = F;

  /// `form_value`: q of splats/kinds/ellipse.h at the pixel.
  template <class F>
  static MOTE_LANE F respond(const BlendedSplat<Gaussian, F>&, F form_value, F, F) {
    return form_value;
  }
  template <class F>
  static MOTE_LANE F log2_alpha(F at) {
    return at;
  }

  /// View z of the splat at the pixel.
  template <class F>
  static MOTE_LANE F depth(const BlendedSplat<Gaussian, F>& s, F) {
    return s.depth;
  }

  /// Adds g at pixel (x, y) to the sums.
  template <bool ABSOLUTE, class F>
  static MOTE_LANE void add(const BlendedSplat<Gaussian, F>& s, F, F g, F x, F y,
                            SplatSums<Gaussian, F>& sums) {
    const F g_x = g * x, g_y = g * y;
    sums[kG] = sums[kG] + g;
    sums[kGx] = sums[kGx] + g_x;
    sums[kGy] = sums[kGy] + g_y;
    sums[kGxx] = fma(g_x, x, sums[kGxx]);
    sums[kGxy] = fma(g_x, y, sums[kGxy]);
    sums[kGyy] = fma(g_y, y, sums[kGyy]);
    if constexpr (ABSOLUTE) add_absolute(s.form, g, x, y, sums[kAbsoluteX], sums[kAbsoluteY]);
  }

  /// The same for pixels in one column, with a common x. finish_column() applies the powers of x.
  template <bool ABSOLUTE, class F>
  static MOTE_LANE void add_in_column(const BlendedSplat<Gaussian, F>& s, F, F g, F x, F y,
                                      SplatSums<Gaussian, F>& sums) {
    const F g_y = g * y;
    sums[kG] = sums[kG] + g;
    sums[kGy] = sums[kGy] + g_y;
    sums[kGyy] = fma(g_y, y, sums[kGyy]);
    if constexpr (ABSOLUTE) add_absolute(s.form, g, x, y, sums[kAbsoluteX], sums[kAbsoluteY]);
  }
  template <class F>
  static MOTE_LANE void finish_column(F x, SplatSums<Gaussian, F>& sums) {
    sums[kGx] = sums[kG] * x;
    sums[kGxx] = sums[kGx] * x;
    sums[kGxy] = sums[kGy] * x;
  }

  /// The chain from stored values to the image, and its vjp.
  template <class F>
  using View = EllipsoidView<F>;

  template <class F>
  static MOTE_LANE View<F> view(const ViewCamera<F>& camera,
                                const StoredSplat<Gaussian, F>& splat) {
    return view_ellipsoid(camera, ellipsoid_of(splat));
  }

  /// `d_direction`: dL/d(unit vector from camera to splat), through the SH.
  template <bool ANTIALIASED, class F>
  static MOTE_LANE ViewGradient<Gaussian, F> view_vjp(const ViewCamera<F>& camera,
                                                      const StoredSplat<Gaussian, F>& splat,
                                                      const View<F>& view,
                                                      const SplatSums<Gaussian, F>& sums,
                                                      Vec3<F> d_direction) {
    EllipsoidViewGradient<F> g;
    g.d_mean_px = mean_gradient(view.conic, sums[kGx], sums[kGy]);
    g.d_conic = conic_gradient(sums[kGxx], sums[kGxy], sums[kGyy]);
    g.d_log_opacity = sums[kG];
    g.d_direction = d_direction;
    const EllipsoidGradient<F> d =
        view_ellipsoid_vjp<ANTIALIASED>(camera, ellipsoid_of(splat), view, g);
    return {{{d.d.mean_world.x, d.d.mean_world.y, d.d.mean_world.z, d.d.log_scale.x,
              d.d.log_scale.y, d.d.log_scale.z, d.d.rotation.w, d.d.rotation.x, d.d.rotation.y,
              d.d.rotation.z, d.d.logit_opacity}},
            g.d_mean_px,
            d.d_pose_rotation,
            d.d_pose_translation};
  }

  /// Standard deviation of the kernel as a density, per unit of scale.
  template <class F>
  static MOTE_LANE F spread(const StoredSplat<Gaussian, F>&) {
    return F(1.0f);
  }
  /// Whether copies that share a position get smaller (Kheradmand et al. 2024).
  static constexpr bool kSharingScales = true;
  /// Factor on the exploration noise at an opacity (Kheradmand et al. 2024).
  template <class F>
  static MOTE_LANE F exploration_gate(F opacity) {
    return mcmc_gate(opacity);
  }

 private:
  template <class F>
  static MOTE_LANE EllipsoidParameters<F> ellipsoid_of(const StoredSplat<Gaussian, F>& s) {
    return {s.mean(), s.log_scale(), s.rotation(), s.template get<Field::logit_opacity>()};
  }
};

}  // namespace mote
