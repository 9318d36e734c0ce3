#include "train/run/dynamic_score.h"

#include <algorithm>
#include <cstdint>

#include "io/images/image_files.h"
#include "train/run/metrics.h"

namespace mote {

Image moving_pixels(const Photograph& photograph, int width, int height) {
  Image moving;
  if (photograph.dynamic_mask.empty()) return moving;
  // The mask has the size of the original photograph.
  const Image8 mask = read_image8(photograph.dynamic_mask);
  moving.resize_discard(width, height, 1);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const std::int64_t from_x = std::int64_t{x} * mask.width / width;
      const std::int64_t from_y = std::int64_t{y} * mask.height / height;
      const std::uint8_t value = mask.row(static_cast<int>(from_y))[from_x * mask.channels];
      moving.row(y)[x] = value >= 128 ? 1.0f : 0.0f;
    }
  }
  return moving;
}

std::optional<DynamicScore> dynamic_score(const Image& moving, const Image& rendered,
                                          const Image& truth, const Image& mask) {
  constexpr double kSame_db = 100;
  if (moving.pixels.empty()) return {};
  Image weights;
  weights.resize_discard(moving.width, moving.height, 1);
  for (std::size_t i = 0; i < weights.pixels.size(); ++i) {
    weights.pixels[i] = moving.pixels[i] * (mask.pixels.empty() ? 1 : mask.pixels[i]);
  }
  const ImageQuality quality = compare_images(rendered, truth, weights);
  if (!(quality.pixels >= kFewestDynamicPixels)) return {};
  return DynamicScore{std::min(quality.psnr_db, kSame_db), quality.ssim};
}

}  // namespace mote
