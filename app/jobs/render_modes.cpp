#include "app/jobs/render_modes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <utility>

#include "app/jobs/heat_map.h"
#include "core/options.h"
#include "core/spelling.h"

namespace mote {
namespace {

template <class Pixel>
void paint_pixels(int width, int height, Image& picture, const Pixel& pixel) {
  picture.resize_discard(width, height, 3);
  for (int y = 0; y < height; ++y) {
    float* row = picture.row(y);
    for (int x = 0; x < width; ++x) {
      const glm::vec3 rgb = pixel(x, y);
      for (int c = 0; c < 3; ++c) row[3 * x + c] = rgb[c];
    }
  }
}

std::optional<LegendRange> paint_alpha(const Frame& frame, const Camera&, Image& picture) {
  paint_pixels(frame.alpha.width, frame.alpha.height, picture,
               [&](int x, int y) { return glm::vec3(frame.alpha.row(y)[x]); });
  return {};
}

/// Range of most depths in the picture; ignores a few outliers.
LegendRange depth_range(const Image& depth) {
  std::vector<float> found = sampled_values(depth);
  if (found.empty()) return {};
  std::sort(found.begin(), found.end());
  const std::size_t tail = found.size() / 50;
  const float nearest = found[tail], farthest = found[found.size() - 1 - tail];
  return {nearest, std::max(farthest, nearest * 1.0001f)};
}

/// White is near, dark is far.
glm::vec3 depth_color(float t) {
  return glm::vec3(1 - 0.9f * std::clamp(t, 0.0f, 1.0f));
}

/// Pixels without splats are black, as in the depth images of `mote render`.
std::optional<LegendRange> paint_depth(const Frame& frame, const Camera&, Image& picture) {
  const Image& depth = frame.depth_expected;
  const LegendRange range = depth_range(depth);
  paint_pixels(depth.width, depth.height, picture, [&](int x, int y) {
    const float z = depth.row(y)[x];
    if (!(z > 0)) return glm::vec3(0);
    return depth_color((z - range.low) / (range.high - range.low));
  });
  return range;
}

/// Normals of the surface of median depths, in the camera's frame. Red, green and blue are x, y
/// upwards and z towards the eye.
std::optional<LegendRange> paint_normals(const Frame& frame, const Camera& camera, Image& picture) {
  const Image& depth = frame.depth_median;
  const auto point = [&](int x, int y) {
    const float z = depth.row(y)[x];
    return z * glm::vec3((static_cast<float>(x) + 0.5f - static_cast<float>(camera.center_px.x)) /
                             static_cast<float>(camera.focal_px.x),
                         (static_cast<float>(y) + 0.5f - static_cast<float>(camera.center_px.y)) /
                             static_cast<float>(camera.focal_px.y),
                         1);
  };
  paint_pixels(depth.width, depth.height, picture, [&](int x, int y) {
    const int right = std::min(x + 1, depth.width - 1), below = std::min(y + 1, depth.height - 1);
    const int left = std::max(x - 1, 0), above = std::max(y - 1, 0);
    for (const float z : {depth.row(y)[x], depth.row(y)[left], depth.row(y)[right],
                          depth.row(above)[x], depth.row(below)[x]}) {
      if (!(z > 0)) return glm::vec3(0);
    }
    const glm::vec3 normal =
        glm::cross(point(x, below) - point(x, above), point(right, y) - point(left, y));
    const float length = glm::length(normal);
    if (!(length > 0)) return glm::vec3(0);
    return glm::vec3(0.5) + 0.5f / length * glm::vec3(normal.x, -normal.y, -normal.z);
  });
  return {};
}

/// Differences of the values of a slice between neighbours, at most; 0 at the border of the field.
float change_at(const Image& slice, int x, int y) {
  float change = 0;
  const auto compare = [&](int other_x, int other_y) {
    if (other_x >= slice.width || other_y >= slice.height) return;
    const float difference = std::abs(slice.row(other_y)[other_x] - slice.row(y)[x]);
    if (difference > change) change = difference;  // false for NaN
  };
  compare(x + 1, y);
  compare(x, y + 1);
  return change;
}

/// A round number, such that some ten lines are seen.
float line_spacing(const Image& slice) {
  float largest = 0;
  for (const float value : slice.pixels.span()) {
    if (std::abs(value) > largest) largest = std::abs(value);
  }
  if (!(largest > 0)) return 1;
  const float decade = std::pow(10.0f, std::floor(std::log10(largest / 10)));
  for (const float factor : {1.0f, 2.0f, 5.0f}) {
    if (factor * decade >= 0.099f * largest) return factor * decade;
  }
  return 10 * decade;
}

/// Lines of equal distance: blue inside, orange outside, and a white line at the surface.
/// `change`: of the distance between pixels.
glm::vec3 distance_color(float distance, float change, float spacing) {
  constexpr glm::vec3 kInside(0.25f, 0.45f, 0.75f), kOutside(0.85f, 0.55f, 0.25f);
  constexpr float kLine_px = 0.75f;
  if (std::abs(distance) <= 2 * kLine_px * change) return glm::vec3(1);
  const float beside = std::abs(distance - spacing * std::round(distance / spacing));
  const float shade = beside <= kLine_px * change ? 0.35f : 1;
  return shade * (distance < 0 ? kInside : kOutside);
}

template <Image Frame::*COUNTS>
std::optional<LegendRange> paint_counts(const Frame& frame, const Camera&, Image& picture) {
  const LegendRange range = heat_range(frame.*COUNTS);
  paint_heat(frame.*COUNTS, range, picture);
  return range;
}

/// Densities as a heat map on a logarithmic scale, since surfaces are thousands of times as dense
/// as fog; distances as lines, without a legend. Pixels beside the field show the picture.
std::optional<LegendRange> paint_slice(const Frame& frame, const Camera&, Image& picture) {
  const Image& slice = frame.slice;
  const LegendRange range = heat_range(slice);
  const float spacing = frame.slice_is_distance ? line_spacing(slice) : 0;
  paint_pixels(slice.width, slice.height, picture, [&](int x, int y) {
    const float value = slice.row(y)[x];
    if (std::isnan(value)) {
      const float* rgb = frame.rgb.row(y) + 3 * x;
      return glm::vec3(rgb[0], rgb[1], rgb[2]);
    }
    if (!frame.slice_is_distance) return heat_color(std::log1p(value) / std::log1p(range.high));
    return distance_color(value, change_at(slice, x, y), spacing);
  });
  return frame.slice_is_distance ? std::nullopt : std::optional(range);
}

constexpr RenderMode kModes[] = {
    {.name = "color", .help = "colour as in photographs"},
    {.name = "depth",
     .help = "expected depth: white is near, black is empty",
     .outputs = {.depth = true},
     .paint = paint_depth,
     .legend = Legend{"depth along the view", depth_color, "depth", "world units"}},
    {.name = "normals",
     .help = "surface normals, from the median depths",
     .outputs = {.depth = true},
     .paint = paint_normals},
    {.name = "alpha",
     .help = "coverage of each pixel by the scene",
     .outputs = {.alpha = true},
     .paint = paint_alpha},
    {.name = "ellipsoids",
     .help = "splats as solid ellipsoids of two standard deviations",
     .shape = SplatShape::ellipsoid},
    {.name = "points", .help = "splats as dots of one size", .shape = SplatShape::point},
    {.name = "overdraw",
     .help = "number of splats blended into each pixel, or of samples of a neural field",
     .outputs = {.overdraw = true},
     .paint = paint_counts<&Frame::overdraw>,
     .legend = Legend{"splats blended into a pixel, or samples of a neural field", heat_color,
                      "overdraw", "splats or samples"}},
    {.name = "tiles",
     .help = "number of splats listed for each tile of the image",
     .outputs = {.tile_cost = true},
     .paint = paint_counts<&Frame::tile_cost>,
     .legend = Legend{"splats listed for a tile", heat_color, "tile list", "splats"}},
    {.name = "slice",
     .help = "density of a neural field on a plane, or lines of equal distance to its surface",
     .outputs = {.slice = true},
     .paint = paint_slice,
     .legend = Legend{"density per side of the field's unit cube, logarithmic", heat_color,
                      "density", "per side", true}},
    {.name = "velocity",
     .help = "how splats move: red, green and blue are x, y and z, grey stands still",
     .painted = PaintedMotion::velocity},
    {.name = "life",
     .help = "how long splats are seen: orange is short, blue the whole scene, grey always",
     .painted = PaintedMotion::life},
};

}  // namespace

void RenderMode::ask(RenderSettings& settings) const {
  settings.shape = shape;
  settings.paint.what = painted;
  settings.outputs.alpha |= outputs.alpha;
  settings.outputs.depth |= outputs.depth;
  settings.outputs.overdraw |= outputs.overdraw;
  settings.outputs.tile_cost |= outputs.tile_cost;
  settings.outputs.slice |= outputs.slice;
}

std::optional<LegendRange> paint_over(const RenderMode& mode, const Camera& camera, Frame& frame,
                                      Image& scratch) {
  if (mode.paint == nullptr) return {};
  const std::optional<LegendRange> range = mode.paint(frame, camera, scratch);
  std::swap(frame.rgb, scratch);
  return range;
}

void scale_paint(double duration_s, double radius, RenderSettings& settings) {
  if (duration_s > 0) settings.paint.duration_s = static_cast<float>(duration_s);
  if (radius > 0)
    settings.paint.half_speed = static_cast<float>(radius) / settings.paint.duration_s;
}

std::span<const RenderMode> render_modes() {
  return kModes;
}

std::vector<std::string> render_mode_names() {
  std::vector<std::string> names;
  for (const RenderMode& mode : kModes) names.emplace_back(mode.name);
  return names;
}

const RenderMode& find_render_mode(std::string_view name) {
  for (const RenderMode& mode : kModes) {
    if (mode.name == name) return mode;
  }
  throw UsageError(fmt::format("'{}' is not a render mode", name), "mode",
                   "name one of " + listed(render_mode_names()));
}

}  // namespace mote
