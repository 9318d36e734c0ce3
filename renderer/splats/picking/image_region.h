#pragma once

// Regions of an image that gestures enclose or cover, in pixels.

#include <cstdint>
#include <glm/vec2.hpp>
#include <variant>
#include <vector>

namespace mote {

/// A rectangle that includes its edges.
struct RectangleRegion {
  glm::dvec2 low_px{0}, high_px{0};
};

/// The area that a round brush covers along one or more points, including its edge.
struct BrushRegion {
  std::vector<glm::dvec2> points_px;
  double radius_px = 1;
};

/// The inside of the closed polygon through the points, by the even-odd rule: a lasso, or a polygon
/// of clicked points. Empty with fewer than three points.
struct PolygonRegion {
  std::vector<glm::dvec2> points_px;
};

using ImageRegion = std::variant<RectangleRegion, BrushRegion, PolygonRegion>;

/// Tests whether points of the image lie in a region; first against the bounding rectangle.
class RegionTest {
 public:
  /// CHECKs that a brush has a point.
  explicit RegionTest(const ImageRegion& region);

  bool operator()(float x, float y) const {
    if (!(x >= low_.x && x <= high_.x && y >= low_.y && y <= high_.y)) return false;
    switch (shape_) {
      case Shape::rectangle:
        return true;
      case Shape::brush:
        return touched(x, y);
      case Shape::polygon:
        return enclosed(x, y);
    }
    return false;
  }

 private:
  enum class Shape { rectangle, brush, polygon };
  struct Point {
    float x, y;
  };
  struct Edge {
    Point from, to;
  };
  static Point point_of(const glm::dvec2& px);
  void take(const RectangleRegion& region);
  void take(const BrushRegion& region);
  void take(const PolygonRegion& region);
  void bound(const std::vector<glm::dvec2>& points, double margin);
  std::size_t band_of(float y) const;
  bool touched(float x, float y) const;
  bool enclosed(float x, float y) const;

  Shape shape_ = Shape::rectangle;
  Point low_{}, high_{};
  float radius2_ = 0;
  std::vector<Point> points_;  // of the brush
  // The polygon's edges by bands of rows: a point needs only the edges of its own band. Band b has
  // the edges [first_of_band_[b], first_of_band_[b + 1]).
  std::vector<Edge> edges_;
  std::vector<std::size_t> first_of_band_;
  float bands_per_px_ = 0;
};

}  // namespace mote
