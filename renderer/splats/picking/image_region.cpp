#include "splats/picking/image_region.h"

#include <algorithm>
#include <glm/common.hpp>

#include "core/error.h"

namespace mote {

RegionTest::RegionTest(const ImageRegion& region) {
  std::visit([this](const auto& one) { take(one); }, region);
}

RegionTest::Point RegionTest::point_of(const glm::dvec2& px) {
  return {static_cast<float>(px.x), static_cast<float>(px.y)};
}

void RegionTest::bound(const std::vector<glm::dvec2>& points, double margin) {
  glm::dvec2 low = points.front(), high = low;
  for (const glm::dvec2& point : points) {
    low = glm::min(low, point);
    high = glm::max(high, point);
  }
  low_ = point_of(low - margin);
  high_ = point_of(high + margin);
}

void RegionTest::take(const RectangleRegion& region) {
  low_ = point_of(region.low_px);
  high_ = point_of(region.high_px);
}

void RegionTest::take(const BrushRegion& region) {
  CHECK(!region.points_px.empty());
  shape_ = Shape::brush;
  radius2_ = static_cast<float>(region.radius_px * region.radius_px);
  bound(region.points_px, region.radius_px);
  for (const glm::dvec2& point : region.points_px) points_.push_back(point_of(point));
}

void RegionTest::take(const PolygonRegion& region) {
  constexpr std::size_t kMostBands = 1024;
  shape_ = Shape::polygon;
  const std::size_t count = region.points_px.size();
  const std::size_t bands = std::clamp<std::size_t>(count, 1, kMostBands);
  std::vector<std::vector<Edge>> of_band(bands);
  first_of_band_.assign(bands + 1, 0);
  if (count < 3) {
    low_ = {1, 1};  // an empty rectangle
    return;
  }
  bound(region.points_px, 0);
  const float height = high_.y - low_.y;
  bands_per_px_ = height > 0 ? static_cast<float>(bands) / height : 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Edge edge{point_of(region.points_px[i]), point_of(region.points_px[(i + 1) % count])};
    const auto [first, last] = std::minmax({band_of(edge.from.y), band_of(edge.to.y)});
    for (std::size_t band = first; band <= last; ++band) of_band[band].push_back(edge);
  }
  for (std::size_t band = 0; band < bands; ++band) {
    edges_.insert(edges_.end(), of_band[band].begin(), of_band[band].end());
    first_of_band_[band + 1] = edges_.size();
  }
}

std::size_t RegionTest::band_of(float y) const {
  const auto last = static_cast<float>(first_of_band_.size() - 2);
  return static_cast<std::size_t>(std::clamp((y - low_.y) * bands_per_px_, 0.0f, last));
}

bool RegionTest::touched(float x, float y) const {
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const Point a = points_[i], b = points_[std::min(i + 1, points_.size() - 1)];
    const float along_x = b.x - a.x, along_y = b.y - a.y;
    const float length2 = along_x * along_x + along_y * along_y;
    const float t =
        length2 > 0 ? std::clamp(((x - a.x) * along_x + (y - a.y) * along_y) / length2, 0.0f, 1.0f)
                    : 0.0f;
    const float dx = x - a.x - t * along_x, dy = y - a.y - t * along_y;
    if (dx * dx + dy * dy <= radius2_) return true;
  }
  return false;
}

/// Counts the edges that a ray to the right crosses.
bool RegionTest::enclosed(float x, float y) const {
  bool inside = false;
  const std::size_t band = band_of(y);
  for (std::size_t i = first_of_band_[band]; i < first_of_band_[band + 1]; ++i) {
    const auto& [a, b] = edges_[i];
    if ((a.y > y) == (b.y > y)) continue;
    if (x < a.x + (y - a.y) * (b.x - a.x) / (b.y - a.y)) inside = !inside;
  }
  return inside;
}

}  // namespace mote
