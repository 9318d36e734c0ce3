#pragma once

// The rules of splatting once more, in double precision, splat by splat over the pixels, without a
// tile, a vector or a header of the renderer's maths: what every backend is held against.

#include <cstdint>
#include <vector>

#include "backend/backend.h"

namespace mote {

struct ReferenceFrame {
  int width = 0, height = 0;
  std::vector<double> rgb;             // [h][w][3]
  std::vector<double> alpha;           // [h][w]
  std::vector<double> depth_expected;  // [h][w]
  std::vector<double> depth_median;    // [h][w]
  /// Pixels where some splat came so close to a threshold (least alpha, last transmittance, median
  /// depth, order of two depths) that single precision may decide otherwise.
  std::vector<std::uint8_t> at_threshold;
  std::uint64_t visible = 0;  // splats that changed a pixel
};

ReferenceFrame render_reference(const SplatCloud& cloud, const Camera& camera,
                                const RenderSettings& settings);

}  // namespace mote
