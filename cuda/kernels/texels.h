#pragma once

// The picture that blending writes. For kernels.

#include <cstddef>

#include "cuda/kernels/blend.h"
#include "cuda/kernels/frame.h"
#include "cuda/pictures/texels.h"
#include "cuda/runtime/dialect.h"
#include "math/vector.h"
#include "pipeline/blend.h"

namespace mote::cuda {

/// Writes pixel `at` over the frame's background, and its alpha if requested.
MOTE_DEVICE void write_blended(const FrameParams& f, const PixelOutputs& out, std::size_t at,
                               const Vec3<float>& sum, float transmittance) {
  write_color(f.texels, out.rgb, at,
              {over_background(sum.x, transmittance, f.background[0]),
               over_background(sum.y, transmittance, f.background[1]),
               over_background(sum.z, transmittance, f.background[2])});
  if (out.alpha != nullptr) out.alpha[at] = alpha_of(transmittance);
}

}  // namespace mote::cuda
