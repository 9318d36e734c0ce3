#pragma once

// The regularisers of 2D Gaussian splatting (Huang et al. 2024, section 5.2), pixel by pixel:
//   depth distortion   sum over pairs of splats of w_i w_j (m_i - m_j)^2 = A M2 - M1^2
//   normal consistency 1 - N . n A, where n is the normal of the surface of expected depths
// A: sum of the weights; M1, M2: sums of the place and its square; N: sum of the normals. As in
// the published code, the gradient of the second loss treats A as a constant.

#include "pipeline/blend.h"
#include "pipeline/surface.h"

namespace mote {

inline constexpr float kLeastSlopes = 1e-30f;  // squared length below which there is no normal

/// Weights of the two losses, each divided by the number of pixels.
template <class F>
struct SurfaceWeights {
  F distortion, normal;
};

template <class F>
MOTE_LANE F distortion_of(F coverage, F place, F squared_place) {
  return fma(coverage, squared_place, -(place * place));
}

/// The expected depths of the neighbours of a pixel.
template <class F>
struct DepthStencil {
  F left, right, above, below;
};

/// Central differences of the surface that the expected depths describe, in the camera's frame.
template <class F>
struct SurfaceSlopes {
  Vec3<F> along_x, along_y;
};

/// The slopes at the pixel with centre (x, y), px. `z`: expected depths of its neighbours.
template <class F>
MOTE_LANE SurfaceSlopes<F> surface_slopes(const Pinhole<F>& camera, F x, F y,
                                          const DepthStencil<F>& z) {
  const F one(1.0f), dx = (x - camera.center_x) / camera.focal_x, step_x = one / camera.focal_x;
  const F dy = (y - camera.center_y) / camera.focal_y, step_y = one / camera.focal_y;
  const F across = z.right - z.left, down = z.below - z.above;
  return {{fma(dx, across, step_x * (z.right + z.left)), dy * across, across},
          {dx * down, fma(dy, down, step_y * (z.below + z.above)), down}};
}

/// The normal of the surface, towards the camera, not of unit length.
template <class F>
MOTE_LANE Vec3<F> surface_normal(const SurfaceSlopes<F>& slopes) {
  return cross(slopes.along_y, slopes.along_x);
}

template <class F>
struct NormalLoss {
  F loss;                     // weight * (1 - N . n A)
  Vec3<F> d_normal_sum;       // dL/dN
  SurfaceSlopes<F> d_slopes;  // dL/d(slopes)
};

/// The normal consistency of one pixel, times `weight`.
template <class F>
MOTE_LANE NormalLoss<F> normal_loss(const SurfaceSlopes<F>& slopes, Vec3<F> normal_sum, F coverage,
                                    F weight) {
  const Vec3<F> across = surface_normal(slopes);
  const F square = dot(across, across);
  const auto valid = square > F(kLeastSlopes);
  const F inverse = keep(valid, F(1.0f) / sqrt(max(square, F(kLeastSlopes))));
  const Vec3<F> n = across * inverse;
  const F scale = weight * coverage, cosine = dot(normal_sum, n);
  const Vec3<F> d_across = (n * cosine - normal_sum) * (scale * inverse);
  return {fnma(scale, cosine, weight),
          n * -scale,
          {cross(d_across, slopes.along_y), cross(slopes.along_x, d_across)}};
}

/// dL/d(expected depth) of a pixel. The slopes of its four neighbours depend on that depth: `left`
/// is dL/d(along_x) of the left neighbour, `above` is dL/d(along_y) of the one above, and so on.
/// (x, y): centre of the pixel, px.
template <class F>
MOTE_LANE F surface_slopes_vjp(const Pinhole<F>& camera, F x, F y, Vec3<F> left, Vec3<F> right,
                               Vec3<F> above, Vec3<F> below) {
  const Vec3<F> ray{(x - camera.center_x) / camera.focal_x, (y - camera.center_y) / camera.focal_y,
                    F(1.0f)};
  return dot(ray, left - right + above - below);
}

/// The gradient of both losses at a pixel.
template <class F>
MOTE_LANE SurfaceGradient<F> surface_gradient(const F (&sums)[kSurfaceSums], F coverage,
                                              F d_expected_depth, Vec3<F> d_normal_sum,
                                              SurfaceWeights<F> weights) {
  const auto covered = coverage > F(0.0f);
  const F d_depth = keep(covered, d_expected_depth / select(covered, coverage, F(1.0f)));
  SurfaceGradient<F> d;
  d.value[kDepthSum] = d_depth;
  d.value[kPlaceSum] = F(-2.0f) * weights.distortion * sums[kPlaceSum];
  d.value[kSquaredPlaceSum] = weights.distortion * coverage;
  d.value[kNormalXSum] = d_normal_sum.x;
  d.value[kNormalYSum] = d_normal_sum.y;
  d.value[kNormalZSum] = d_normal_sum.z;
  d.value[kCoverageGradient] = fma(weights.distortion, sums[kSquaredPlaceSum],
                                   -(d_depth * expected_depth(coverage, sums[kDepthSum])));
  return d;
}

}  // namespace mote
