#pragma once

#include "backend/splat_trainer.h"
#include "core/image.h"

namespace mote {

/// PSNR, in dB, of `rendered` after the affine map of its colours that fits `truth` best (least
/// squares over the pixels, one map for the picture): what is left when exposure and white balance
/// are forgiven, as comparisons of photographs with automatic exposure report it beside the plain
/// one. Infinite for equal pictures. Arguments as of compare_images(); NaN where the mask leaves
/// nothing.
double color_corrected_psnr_db(const Image& rendered, const Image& truth, const Image& mask);

/// The affine map of the colours of `rendered` that fits `truth` best, with a weak pull towards
/// none, which decides for colours that the picture does not show. Arguments as above; neutral
/// where the mask leaves nothing.
Exposure fitted_exposure(const Image& rendered, const Image& truth, const Image& mask);

}  // namespace mote
