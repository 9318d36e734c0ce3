#pragma once

#include <span>

#include "core/image.h"

namespace mote {

/// Similarity of two pictures. SSIM is that of Wang et al. 2004 with the 11x11 Gaussian window of
/// standard deviation 1.5, constants 0.01^2 and 0.03^2, and zero padding, averaged over pixels and
/// channels; 3DGS and its successors report this SSIM.
struct ImageQuality {
  double psnr_db = 0;  // infinite for equal pictures
  double ssim = 0;     // 1 for equal pictures
  double pixels = 0;   // sum of the mask's weights; if 0, the others are NaN
};

/// Compares `rendered` (values outside 0..1 are clamped; NaN gives NaN) with `truth`, both
/// [h][w][3] in 0..1. `mask` [h][w][1] in 0..1 weights the errors and SSIM of pixels; may be empty.
/// CHECKs that the sizes agree. Runs on all usable CPUs; their number does not change the result.
ImageQuality compare_images(const Image& rendered, const Image& truth, const Image& mask);

/// The sum of the absolute differences of two pictures [h][w][3], times the weights of their pixels
/// [h][w]; without weights, all are 1. Values of `rendered` outside 0..1 are clamped. Pixels
/// without a positive weight do not count, whatever their values. CHECKs that the sizes agree.
double absolute_differences(const Image& rendered, const Image& truth,
                            std::span<const float> weights);

/// The memory of compare_images() in bytes, beside the images, which have this width.
std::uint64_t image_comparison_bytes(std::uint64_t width);

}  // namespace mote
