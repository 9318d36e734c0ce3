#pragma once

#include <optional>

#include "core/image.h"
#include "scene/dataset.h"

namespace mote {

/// The PSNR of the pixels that show something that moves, by the photograph's dynamic mask; at most
/// 100 dB. Empty without such a mask, and if it leaves fewer than kFewestDynamicPixels. `mask`
/// weights the pixels; may be empty. Throws Error if the dynamic mask cannot be read.
std::optional<double> dynamic_psnr_db(const Photograph& photograph, const Image& rendered,
                                      const Image& truth, const Image& mask);
inline constexpr double kFewestDynamicPixels = 16;

}  // namespace mote
