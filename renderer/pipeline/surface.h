#pragma once

// The surface payload of blending: the per-pixel sums of depth and normal that 2D Gaussian
// splatting needs (Huang et al. 2024, section 5). Only for kinds that are surfaces
// (Kind::kIsSurface).

#include "splats/kinds/kind.h"

namespace mote {

/// Weighted sums over the splats of a pixel. Place: depth in normalised device coordinates
/// (place_of_depth()). Normals are in the camera's frame and point towards the camera.
enum SurfaceSum : int {
  kDepthSum,
  kPlaceSum,
  kSquaredPlaceSum,
  kNormalXSum,
  kNormalYSum,
  kNormalZSum,
  kSurfaceSums
};

/// The gradient of a pixel holds dL/d(sum) for each SurfaceSum, then dL/d(sum of the weights).
inline constexpr int kCoverageGradient = kSurfaceSums;
inline constexpr int kSurfaceGradients = kSurfaceSums + 1;

/// A depth is normalised between these planes, world units. The values are those of the published
/// code.
inline constexpr float kPlaceNear = 0.2f, kPlaceFar = 100;
inline constexpr float kPlaceRange = kPlaceFar / (kPlaceFar - kPlaceNear);

/// The place of a depth: 0 at kPlaceNear and 1 at kPlaceFar.
template <class F>
MOTE_LANE F place_of_depth(F inverse_depth) {
  return fnma(F(kPlaceRange * kPlaceNear), inverse_depth, F(kPlaceRange));
}

template <class F>
struct SurfaceGradient {
  F value[kSurfaceGradients];  // index: SurfaceSum or kCoverageGradient
};

/// Adds one splat with its weight to the sums of a pixel.
template <class F>
MOTE_LANE void add_to_surface(const SurfacePoint<F>& at, F weight, F (&sums)[kSurfaceSums]) {
  const F place = place_of_depth(F(1.0f) / at.depth), weighted = weight * place;
  sums[kDepthSum] = fma(weight, at.depth, sums[kDepthSum]);
  sums[kPlaceSum] = sums[kPlaceSum] + weighted;
  sums[kSquaredPlaceSum] = fma(weighted, place, sums[kSquaredPlaceSum]);
  sums[kNormalXSum] = fma(weight, at.normal.x, sums[kNormalXSum]);
  sums[kNormalYSum] = fma(weight, at.normal.y, sums[kNormalYSum]);
  sums[kNormalZSum] = fma(weight, at.normal.z, sums[kNormalZSum]);
}

/// The surface payload's part of dL/d(weight) of one splat.
template <class F>
MOTE_LANE F along_surface(const SurfacePoint<F>& at, const SurfaceGradient<F>& d) {
  const F place = place_of_depth(F(1.0f) / at.depth);
  const Vec3<F> d_normal{d.value[kNormalXSum], d.value[kNormalYSum], d.value[kNormalZSum]};
  return fma(at.depth, d.value[kDepthSum],
             fma(place, fma(place, d.value[kSquaredPlaceSum], d.value[kPlaceSum]),
                 dot(at.normal, d_normal) + d.value[kCoverageGradient]));
}

/// dL/d(point) of one splat.
template <class F>
MOTE_LANE SurfacePoint<F> surface_vjp(const SurfacePoint<F>& at, F weight,
                                      const SurfaceGradient<F>& d) {
  const F inverse = F(1.0f) / at.depth, place = place_of_depth(inverse);
  const F d_place = fma(F(2.0f) * place, d.value[kSquaredPlaceSum], d.value[kPlaceSum]);
  const F by_depth = F(kPlaceRange * kPlaceNear) * inverse * inverse;
  return {weight * fma(d_place, by_depth, d.value[kDepthSum]),
          Vec3<F>{d.value[kNormalXSum], d.value[kNormalYSum], d.value[kNormalZSum]} * weight};
}

/// dL/dpixel . (sums of the pixel): the surface payload's part of the initial value of
/// PixelBackward::behind.
template <class F>
MOTE_LANE F surface_behind(const F (&sums)[kSurfaceSums], F coverage, const SurfaceGradient<F>& d) {
  F behind = coverage * d.value[kCoverageGradient];
  for (int k = 0; k < kSurfaceSums; ++k) behind = fma(sums[k], d.value[k], behind);
  return behind;
}

}  // namespace mote
