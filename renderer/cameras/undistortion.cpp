#include "cameras/undistortion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <vector>

#include "core/error.h"
#include "core/image.h"

namespace mote {
namespace {

/// Lower bound on the determinant of the lens's Jacobian, as a fraction of the one in the middle.
/// Below it the image is folded or squeezed too much.
constexpr double kLeastDensity = 0.02;
constexpr int kRowsPerHalf = 32;

/// Upper bound on the growth of a side of an undistorted image. A wide fisheye needs 1.7; larger
/// images only add interpolated pixels.
constexpr double kMostEnlarged = 2;
/// No real lens enlarges a side of the image more than this; such parameters are wrong.
constexpr double kMostSensible = 8;

/// A part of a row, from `left` to `right`.
struct Span {
  double left, right;
};

/// The set of directions (u, v, 1) that the photograph shows, searched from its middle.
class VisibleRegion {
 public:
  VisibleRegion(const Camera& camera, const Lens& lens, glm::dvec2 middle)
      : camera_(camera), lens_(lens), middle_(middle) {
    const glm::dmat2 jacobian = distortion_jacobian(lens, middle);
    least_determinant_ = kLeastDensity * glm::determinant(jacobian);
    // A step is about 1/48 of the image size, measured in the middle.
    const glm::dvec2 size(camera.width, camera.height);
    const glm::dvec2 scale(glm::length(jacobian[0]), glm::length(jacobian[1]));
    step_ = size / (48.0 * camera.focal_px * scale);
  }

  bool holds(glm::dvec2 uv) const {
    if (std::max(std::abs(uv.x), std::abs(uv.y)) > kMaxUndistortedSlope) return false;
    const glm::dvec2 px = camera_.focal_px * distort(lens_, uv) + camera_.center_px;
    return px.x >= 0 && px.y >= 0 && px.x <= camera_.width && px.y <= camera_.height &&
           glm::determinant(distortion_jacobian(lens_, uv)) > least_determinant_;
  }

  Span row(double v) const {
    return {reach({middle_.x, v}, {-step_.x, 0}).x, reach({middle_.x, v}, {step_.x, 0}).x};
  }
  double top() const { return reach(middle_, {0, -step_.y}).y; }
  double bottom() const { return reach(middle_, {0, step_.y}).y; }

 private:
  /// The last point of the region on the way from `from`, a point inside, along `step`.
  glm::dvec2 reach(glm::dvec2 from, glm::dvec2 step) const {
    constexpr int kMostSteps = 4096, kHalvings = 40;
    glm::dvec2 inside = from;
    int steps = 0;
    while (steps < kMostSteps && holds(inside + step)) inside += step, ++steps;
    for (int i = 0; i < kHalvings; ++i) {
      step *= 0.5;
      if (holds(inside + step)) inside += step;
    }
    return inside;
  }

  const Camera& camera_;
  const Lens& lens_;
  glm::dvec2 middle_, step_;
  double least_determinant_;
};

struct Rectangle {
  double left, right, top, bottom;
  double area() const { return (right - left) * (bottom - top); }
};

/// The largest rectangle of whole rows about the middle row. Its width is that of the narrowest of
/// its rows.
Rectangle largest_of_rows(const std::vector<double>& heights, const std::vector<Span>& rows) {
  const std::size_t middle = kRowsPerHalf;
  Rectangle best{0, 0, 0, 0};
  Span above = rows[middle];
  for (std::size_t first = middle + 1; first-- > 0;) {
    above = {std::max(above.left, rows[first].left), std::min(above.right, rows[first].right)};
    Span all = above;
    for (std::size_t last = middle; last < rows.size(); ++last) {
      all = {std::max(all.left, rows[last].left), std::min(all.right, rows[last].right)};
      const Rectangle now{all.left, all.right, heights[first], heights[last]};
      if (now.right > now.left && now.area() > best.area()) best = now;
    }
  }
  return best;
}

/// Moves a horizontal side outwards, by less than `step`, while its row is wide enough.
double grown(const VisibleRegion& region, const Rectangle& rectangle, double side, double step) {
  for (int i = 0; i < 24; ++i) {
    step *= 0.5;
    const Span row = region.row(side + step);
    if (row.left <= rectangle.left && row.right >= rectangle.right) side += step;
  }
  return side;
}

Rectangle largest_rectangle(const VisibleRegion& region, double middle_v) {
  std::vector<double> heights;
  std::vector<Span> rows;
  const double top = region.top(), bottom = region.bottom();
  for (int i = -kRowsPerHalf; i <= kRowsPerHalf; ++i) {
    const double share = static_cast<double>(std::abs(i)) / kRowsPerHalf;
    heights.push_back(middle_v + share * ((i < 0 ? top : bottom) - middle_v));
    rows.push_back(region.row(heights.back()));
  }
  Rectangle best = largest_of_rows(heights, rows);
  if (best.top > top) best.top = grown(region, best, best.top, (top - middle_v) / kRowsPerHalf);
  if (best.bottom < bottom) {
    best.bottom = grown(region, best, best.bottom, (bottom - middle_v) / kRowsPerHalf);
  }
  return best;
}

/// Whole pixels of one axis, centred in the available length.
struct PixelRows {
  int count;
  double center;
};

PixelRows whole_pixels(double low, double high, double focal_px) {
  const double wanted = (high - low) * focal_px;
  const int count = static_cast<int>(wanted + 1e-6);
  return {count, -low * focal_px - 0.5 * (wanted - count)};
}

}  // namespace

Camera undistorted_camera(const Camera& camera, const Lens& lens, const std::string& where) {
  if (is_identity(lens)) return camera;
  const glm::dvec2 image_middle = 0.5 * glm::dvec2(camera.width, camera.height);
  const auto middle = undistort(lens, (image_middle - camera.center_px) / camera.focal_px);
  const auto unusable = [&](const std::string& problem) -> Error {
    return {fmt::format("the lens distortion ({}) {}", parameters_text(lens), problem), where,
            "correct these parameters, or calibrate the camera again with a model that has fewer "
            "of them"};
  };
  constexpr const char* kFolds = "folds over in the middle of the image";
  if (!middle) throw unusable(kFolds);
  const VisibleRegion region(camera, lens, *middle);
  if (!region.holds(*middle)) throw unusable(kFolds);
  const Rectangle rectangle = largest_rectangle(region, middle->y);
  const double density = std::sqrt(glm::determinant(distortion_jacobian(lens, *middle)));
  const glm::dvec2 size(rectangle.right - rectangle.left, rectangle.bottom - rectangle.top);
  Camera result = camera;
  result.focal_px = density * camera.focal_px;
  const glm::dvec2 sides_px = size * result.focal_px;
  const glm::dvec2 enlarged = sides_px / glm::dvec2(camera.width, camera.height);
  const double most = std::max(enlarged.x, enlarged.y);
  if (!(most <= kMostSensible)) {
    throw unusable(fmt::format("would enlarge the image from {}x{} to {:.3g}x{:.3g} pixels",
                               camera.width, camera.height, sides_px.x, sides_px.y));
  }
  const double longest = std::max(sides_px.x, sides_px.y);
  result.focal_px /= std::max({1.0, most / kMostEnlarged, longest / kMaxImageSide});
  const PixelRows x = whole_pixels(rectangle.left, rectangle.right, result.focal_px.x);
  const PixelRows y = whole_pixels(rectangle.top, rectangle.bottom, result.focal_px.y);
  if (x.count < 1 || y.count < 1) throw unusable("keeps no whole pixel of the image");
  result.width = x.count;
  result.height = y.count;
  result.center_px = {x.center, y.center};
  return result;
}

}  // namespace mote
