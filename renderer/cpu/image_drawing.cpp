#include "cpu/image_drawing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <vector>

#include "core/error.h"
#include "cpu/for_each_part.h"
#include "fields/image_plane.h"
#include "fields/image_view.h"
#include "math/display_curve.h"

namespace mote {
namespace {

/// Pixels that are evaluated at once, so that their samples take little memory.
constexpr std::size_t kPixelsAtOnce = std::size_t{1} << 16;

/// A picture while bands of its rows are drawn.
class ImagePainting {
 public:
  ImagePainting(const DrawnPlain& drawn, const Camera& camera, const RenderSettings& settings,
                Frame& frame)
      : drawn_(drawn),
        camera_(camera),
        settings_(settings),
        frame_(frame),
        aspect_(image_aspect(drawn.field)),
        origin_(camera.position_world()),
        world_from_cam_(glm::transpose(camera.cam_from_world)),
        per_side_(image_samples_per_side(aspect_, drawn.field.image_height, camera)) {}

  void paint(FrameStats& stats) {
    const auto per_pixel = static_cast<std::size_t>(per_side_ * per_side_);
    const std::size_t row = static_cast<std::size_t>(camera_.width) * per_pixel;
    const int rows = static_cast<int>(std::max<std::size_t>(kPixelsAtOnce / row, 1));
    for (int y = 0; y < camera_.height; y += rows) {
      stop_if_superseded(settings_);
      paint_rows(y, std::min(y + rows, camera_.height), stats);
    }
  }

 private:
  std::optional<ImagePoint> meet(double x, double y) const {
    const glm::dvec3 ray_cam{(x - camera_.center_px.x) / camera_.focal_px.x,
                             (y - camera_.center_px.y) / camera_.focal_px.y, 1};
    return meet_image(aspect_, origin_, world_from_cam_ * ray_cam);
  }

  /// Offset of a sample in its pixel.
  double offset(int i) const { return (i + 0.5) / per_side_; }

  void paint_rows(int first, int end, FrameStats& stats) {
    const auto rows = static_cast<std::size_t>(end - first);
    const auto width = static_cast<std::size_t>(camera_.width);
    const auto per_pixel = static_cast<std::size_t>(per_side_ * per_side_);
    const std::size_t count = rows * width * per_pixel;
    drawn_.values.begin(count);
    inside_.resize(count);
    for_each_part(drawn_.pool, 0, rows, 1, [&](std::size_t from, std::size_t) {
      place_row(first + static_cast<int>(from), from * width * per_pixel);
    });
    if (std::ranges::find(inside_, 1) != inside_.end()) {
      drawn_.values.evaluate(drawn_.tables, count);
      stats.evaluations += count;
    }
    for_each_part(drawn_.pool, 0, rows, 1, [&](std::size_t from, std::size_t) {
      store_row(first + static_cast<int>(from), from * width * per_pixel);
    });
  }

  void place_row(int y, std::size_t at) {
    float *x_plane = drawn_.values.positions(), *y_plane = x_plane + drawn_.values.stride();
    for (int x = 0; x < camera_.width; ++x) {
      for (int j = 0; j < per_side_; ++j) {
        for (int i = 0; i < per_side_; ++i, ++at) {
          const auto point = meet(x + offset(i), y + offset(j));
          const auto is_within = [](double p) { return p >= 0 && p <= 1; };
          inside_[at] = point && is_within(point->position.x) && is_within(point->position.y);
          x_plane[at] = inside_[at] ? static_cast<float>(point->position.x) : 0.5f;
          y_plane[at] = inside_[at] ? static_cast<float>(point->position.y) : 0.5f;
        }
      }
    }
  }

  void store_row(int y, std::size_t at) {
    const float* values = drawn_.values.values();
    const std::size_t stride = drawn_.values.stride();
    const int per_pixel = per_side_ * per_side_;
    for (int x = 0; x < camera_.width; ++x) {
      std::array<float, 3> sum{0, 0, 0};
      int inside = 0;
      for (int i = 0; i < per_pixel; ++i, ++at) {
        if (!inside_[at]) continue;
        ++inside;
        for (std::size_t c = 0; c < 3; ++c) sum[c] += shown(values[c * stride + at]);
      }
      store_pixel(x, y, sum, static_cast<float>(inside) / static_cast<float>(per_pixel), inside);
    }
  }

  float shown(float value) const {
    return drawn_.field.hdr ? display_from_linear(value) : std::clamp(value, 0.0f, 1.0f);
  }

  void store_pixel(int x, int y, const std::array<float, 3>& sum, float alpha, int inside) {
    const std::size_t pixel =
        static_cast<std::size_t>(y) * static_cast<std::size_t>(camera_.width) +
        static_cast<std::size_t>(x);
    const float count = static_cast<float>(per_side_ * per_side_);
    for (std::size_t c = 0; c < 3; ++c) {
      frame_.rgb.pixels[3 * pixel + c] = sum[c] / count + (1 - alpha) * settings_.background[c];
    }
    const RenderOutputs& outputs = settings_.outputs;
    if (outputs.alpha) frame_.alpha.pixels[pixel] = alpha;
    if (outputs.overdraw) frame_.overdraw.pixels[pixel] = static_cast<float>(inside);
    if (!outputs.depth) return;
    const auto point = meet(x + 0.5, y + 0.5);
    // The third component of a ray is 1 in the camera's frame, so its length is the depth.
    const float depth = point && alpha > 0 ? static_cast<float>(point->distance) : 0;
    frame_.depth_expected.pixels[pixel] = frame_.depth_median.pixels[pixel] = depth;
  }

  const DrawnPlain& drawn_;
  const Camera& camera_;
  const RenderSettings& settings_;
  Frame& frame_;
  const double aspect_;
  const glm::dvec3 origin_;
  const glm::dmat3 world_from_cam_;
  const int per_side_;
  std::vector<std::uint8_t> inside_;  // of the samples
};

}  // namespace

void draw_image(const DrawnPlain& drawn, const Camera& camera, const RenderSettings& settings,
                Frame& frame, FrameStats& stats) {
  if (settings.outputs.normal || settings.outputs.tile_cost) {
    throw Error(
        settings.outputs.normal ? "images have no normals" : "images are not drawn in tiles",
        "the requested images", "request depth or overdraw");
  }
  ImagePainting(drawn, camera, settings, frame).paint(stats);
}

}  // namespace mote
