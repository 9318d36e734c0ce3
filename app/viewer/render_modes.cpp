#include "app/viewer/render_modes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <string>
#include <vector>

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

void paint_alpha(const Frame& frame, const Camera&, Image& picture) {
  paint_pixels(frame.alpha.width, frame.alpha.height, picture,
               [&](int x, int y) { return glm::vec3(frame.alpha.row(y)[x]); });
}

/// Depths between which most of the picture lies: a few stray splats shall not decide.
struct DepthRange {
  float nearest = 0, farthest = 1;
};

DepthRange depth_range(const Image& depth) {
  constexpr std::size_t kSamples = 10000;
  const std::span<const float> all = depth.pixels.span();
  const std::size_t stride = std::max<std::size_t>(1, all.size() / kSamples);
  std::vector<float> found;
  for (std::size_t i = 0; i < all.size(); i += stride) {
    if (all[i] > 0) found.push_back(all[i]);
  }
  if (found.empty()) return {};
  std::sort(found.begin(), found.end());
  const std::size_t tail = found.size() / 50;
  const float nearest = found[tail], farthest = found[found.size() - 1 - tail];
  return {nearest, std::max(farthest, nearest * 1.0001f)};
}

/// White is near, dark is far, black is nothing, as `mote render` writes depth.
void paint_depth(const Frame& frame, const Camera&, Image& picture) {
  const Image& depth = frame.depth_expected;
  const DepthRange range = depth_range(depth);
  paint_pixels(depth.width, depth.height, picture, [&](int x, int y) {
    const float z = depth.row(y)[x];
    if (!(z > 0)) return glm::vec3(0);
    const float t = (z - range.nearest) / (range.farthest - range.nearest);
    return glm::vec3(1 - 0.9f * std::clamp(t, 0.0f, 1.0f));
  });
}

/// Normals of the surface that the median depths make, in the camera's frame: x, y upwards and
/// towards the eye as red, green and blue.
void paint_normals(const Frame& frame, const Camera& camera, Image& picture) {
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
}

constexpr RenderMode kModes[] = {
    {"color", "as photographs show it", {}, nullptr},
    {"depth", "expected depth: white is near, black is nothing", {.depth = true}, paint_depth},
    {"normals",
     "normals of the surface that the median depths make",
     {.depth = true},
     paint_normals},
    {"alpha", "how much the splats cover", {.alpha = true}, paint_alpha},
};

}  // namespace

std::span<const RenderMode> render_modes() {
  return kModes;
}

const RenderMode& find_render_mode(std::string_view name) {
  std::vector<std::string> names;
  for (const RenderMode& mode : kModes) {
    if (mode.name == name) return mode;
    names.emplace_back(mode.name);
  }
  throw UsageError(fmt::format("'{}' is no render mode", name), "mode",
                   "name one of " + listed(names));
}

}  // namespace mote
