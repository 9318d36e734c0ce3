#pragma once

#include <optional>

#include "core/image.h"
#include "scene/dataset.h"

namespace mote {

/// The dynamic mask of a photograph at a size: [height][width][1], 1 where something moves at some
/// time, else 0. Empty for a photograph without one. Throws Error if it cannot be read.
Image moving_pixels(const Photograph& photograph, int width, int height);

/// Similarity of the pixels that show something that moves. PSNR is at most 100 dB.
struct DynamicScore {
  double psnr_db = 0, ssim = 0;
};

/// The score of the pixels of `moving`, which moving_pixels() returned. Empty if these are fewer
/// than kFewestDynamicPixels. `mask` weights the pixels; may be empty.
std::optional<DynamicScore> dynamic_score(const Image& moving, const Image& rendered,
                                          const Image& truth, const Image& mask);
inline constexpr double kFewestDynamicPixels = 16;

}  // namespace mote
