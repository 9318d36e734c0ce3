#pragma once

#include "core/image.h"
#include "math/exposure.h"

namespace mote {

/// PSNR in dB of `rendered` after the affine colour map that fits `truth` best: least squares over
/// the pixels, one map per picture. It ignores differences of exposure and white balance.
/// Benchmarks with automatic exposure report it in addition to the plain PSNR. Infinite for equal
/// pictures. Arguments as in compare_images(); NaN if the mask leaves no pixel.
double color_corrected_psnr_db(const Image& rendered, const Image& truth, const Image& mask);

/// The affine colour map of `rendered` that fits `truth` best. A weak pull towards the identity
/// determines the map for colours that the picture does not show. Arguments as above; neutral if
/// the mask leaves no pixel.
Exposure fitted_exposure(const Image& rendered, const Image& truth, const Image& mask);

}  // namespace mote
