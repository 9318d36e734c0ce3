#pragma once

// The fused L1 + D-SSIM loss with its gradient on the CPU. It is computed in independent bands of
// rows, so the sums do not depend on the number of threads.

#include <cstddef>
#include <cstdint>

#include "math/exposure.h"

namespace mote {

/// Rows of a band. Each band reads kLossHalo more rows on either side.
inline constexpr int kLossBandRows = 64;
inline constexpr int kLossHalo = 10;

/// Rows of planes start at multiples of this number of floats; their length is padded to a
/// multiple.
inline constexpr int kPlaneAlignment = 16;
constexpr std::size_t plane_stride(int width) {
  return (static_cast<std::size_t>(width) + kPlaneAlignment - 1) / kPlaneAlignment *
         kPlaneAlignment;
}

/// The input of a band. Planes are [height][stride] floats, 64-byte aligned.
struct LossParams {
  int width, height;          // px
  std::size_t stride;         // plane_stride(width)
  const float* rendered[3];   // colour with background, before exposure
  const std::uint8_t* photo;  // [height][width][photo_channels]
  int photo_channels;         // 3, or 4 with straight alpha, composed over `background`
  const std::uint8_t* mask;   // [height][width] or null: weight / 255 per pixel
  float background[3];
  float exposure[kExposureValues];  // rows {m0, m1, m2, offset}
  float ssim_weight;                // if 0, SSIM is not computed
  float scale;                      // 1 / (3 * sum of pixel weights), which turns sums into means
  /// dL/d rendered, written for the band's rows, with zeros up to the stride. L is scale * (sum of
  /// weight * ((1 - ssim_weight) |x - y| + ssim_weight (1 - SSIM))).
  float* d_rendered[3];
};

/// Sums over a band. The first three are not scaled; the gradients are those of L.
struct LossSums {
  double absolute = 0;  // sum of weight * |x - y| over pixels and channels
  double ssim = 0;      // sum of weight * SSIM; 0 if not computed
  double squared = 0;   // sum of weight * (x - y)^2
  double d_exposure[kExposureValues] = {};
  /// The part of dL/d(background) through the photograph's alpha. d_rendered gives the other part,
  /// through the rendered image.
  double d_background_target[3] = {};
};

/// Floats between rows of a band's scratch. A row has zeros on both sides, and an odd number of
/// cache lines, so that rows do not conflict in a cache.
constexpr std::size_t loss_pitch(int width) {
  const std::size_t lines = plane_stride(width) / kPlaneAlignment + 2;
  return (lines | 1) * kPlaneAlignment;
}

/// Scratch of a band in floats for images of this width; 64-byte aligned.
constexpr std::size_t loss_scratch_floats(int width) {
  constexpr std::size_t kRows = kLossBandRows + 2 * kLossHalo;
  // Two images, four moments, and five planes of bytes.
  return kRows * (6 * loss_pitch(width) + 5 * plane_stride(width) / sizeof(float));
}

}  // namespace mote
