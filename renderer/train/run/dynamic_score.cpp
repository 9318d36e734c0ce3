#include "train/run/dynamic_score.h"

#include <algorithm>
#include <cstdint>

#include "io/images/image_files.h"
#include "train/run/metrics.h"

namespace mote {
namespace {

/// 1 where the mask is white, at the size of the photograph. The mask has the size of the original
/// photograph.
Image weights_of(const Image8& mask, int width, int height) {
  Image weights;
  weights.resize_discard(width, height, 1);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int from_x = static_cast<int>(std::int64_t{x} * mask.width / width);
      const int from_y = static_cast<int>(std::int64_t{y} * mask.height / height);
      const std::size_t from =
          (static_cast<std::size_t>(from_y) * static_cast<std::size_t>(mask.width) +
           static_cast<std::size_t>(from_x)) *
          static_cast<std::size_t>(mask.channels);
      weights.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                     static_cast<std::size_t>(x)] = mask.pixels[from] >= 128 ? 1.0f : 0.0f;
    }
  }
  return weights;
}

}  // namespace

std::optional<double> dynamic_psnr_db(const Photograph& photograph, const Image& rendered,
                                      const Image& truth, const Image& mask) {
  constexpr double kSame_db = 100;
  if (photograph.dynamic_mask.empty()) return {};
  Image weights = weights_of(read_image8(photograph.dynamic_mask), truth.width, truth.height);
  if (!mask.pixels.empty()) {
    for (std::size_t i = 0; i < weights.pixels.size(); ++i) weights.pixels[i] *= mask.pixels[i];
  }
  const ImageQuality quality = compare_images(rendered, truth, weights);
  if (!(quality.pixels >= kFewestDynamicPixels)) return {};
  return std::min(quality.psnr_db, kSame_db);
}

}  // namespace mote
