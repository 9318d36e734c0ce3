#include "train/run/sparse_view.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace mote {
namespace {

int first_pixel(int every) {
  return (every - 1) / 2;
}

int pixel_count(int pixels, int every) {
  return (pixels - first_pixel(every) - 1) / every + 1;
}

}  // namespace

int metrics_spacing(ModelKind kind, const Camera& camera) {
  return kind == ModelKind::field ? std::min({4, camera.width, camera.height}) : 1;
}

int trial_spacing(ModelKind kind, const Camera& camera) {
  constexpr double kEnoughRays = 1 << 17;  // more than a processor follows at once
  if (kind != ModelKind::field) return 1;
  const double pixels = static_cast<double>(camera.width) * camera.height;
  const int every = std::max(1, static_cast<int>(std::sqrt(pixels / kEnoughRays)));
  return std::min({every, camera.width, camera.height});
}

Camera sparse_camera(const Camera& camera, int every) {
  CHECK(every >= 1 && every <= std::min(camera.width, camera.height));
  const double step = every, first_center = first_pixel(every) + 0.5;
  Camera sparse = camera;
  sparse.width = pixel_count(camera.width, every);
  sparse.height = pixel_count(camera.height, every);
  sparse.focal_px /= step;
  sparse.center_px = (camera.center_px - first_center) / step + 0.5;
  return sparse;
}

Image sparse_pixels(const Image& image, int every) {
  Image sparse;
  if (image.pixels.empty()) return sparse;
  CHECK(every >= 1 && every <= std::min(image.width, image.height));
  sparse.resize_discard(pixel_count(image.width, every), pixel_count(image.height, every),
                        image.channels);
  const int first = first_pixel(every);
  for (int y = 0; y < sparse.height; ++y) {
    float* to = sparse.row(y);
    for (int x = 0; x < sparse.width; ++x, to += image.channels) {
      const float* from = image.row(y * every + first) + (x * every + first) * image.channels;
      std::copy_n(from, image.channels, to);
    }
  }
  return sparse;
}

}  // namespace mote
