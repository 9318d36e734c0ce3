#include "app/viewer/view/view_lines.h"

#include <gtest/gtest.h>

#include <cmath>
#include <glm/geometric.hpp>
#include <limits>

#include "app/viewer/camera/pose.h"

namespace mote {
namespace {

/// 100 x 80 px, at the origin, looks along z.
Camera straight() {
  return make_lens(1.0, 100, 80);
}

TEST(ViewLines, ClipsASegmentInFrontOfTheCamera) {
  const Camera camera = straight();
  const glm::dvec3 ahead(0.5, 0.2, 4), behind(0.5, 0.2, -4);
  const auto seen = projected(camera, behind, ahead, 0.5);
  ASSERT_TRUE(seen);
  EXPECT_LT(glm::length(seen->to - *projected(camera, ahead, 0.5)), 1e-9);
  EXPECT_LT(glm::length(seen->from - *projected(camera, {0.5, 0.2, 0.5}, 0.5)), 1e-9);
  EXPECT_FALSE(projected(camera, behind, {0, 0, 0.4}, 0.5));
  EXPECT_FALSE(projected(camera, behind, 0.5));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(projected(camera, {nan, nan, nan}, {nan, nan, nan}, 0.5));
}

TEST(ViewLines, ClipsASegmentToTheView) {
  const glm::dvec2 size(100, 80);
  const auto across = cut({{-50, 40}, {150, 40}}, size, 0);
  ASSERT_TRUE(across);
  EXPECT_NEAR(across->from.x, 0, 1e-9);
  EXPECT_NEAR(across->to.x, 100, 1e-9);
  const auto inside = cut({{10, 10}, {20, 30}}, size, 0);
  ASSERT_TRUE(inside);
  EXPECT_EQ(inside->from, glm::dvec2(10, 10));
  EXPECT_FALSE(cut({{-50, -10}, {150, -10}}, size, 5));
  EXPECT_TRUE(cut({{-50, -4}, {150, -4}}, size, 5));
  EXPECT_FALSE(cut({{-30, 20}, {20, -30}}, size, 0)) << "passes the corner";
}

TEST(ViewLines, MeasuresTheDistanceToASegment) {
  EXPECT_NEAR(distance_to({{0, 0}, {10, 0}}, {5, 3}), 3, 1e-12);
  EXPECT_NEAR(distance_to({{0, 0}, {10, 0}}, {13, 4}), 5, 1e-12);
  EXPECT_NEAR(distance_to({{2, 2}, {2, 2}}, {5, 6}), 5, 1e-12);
}

TEST(ViewLines, DrawsNothingOutsideTheView) {
  StrokeList strokes(straight(), 0.1);
  strokes.line({-1000, 0, 5}, {1000, 0, 5}, {2, {255, 0, 0, 255}});
  strokes.line({-1000, 0, -5}, {1000, 0, -5}, {2, {255, 0, 0, 255}});
  strokes.dot({0, 0, 1}, {4, {0, 255, 0, 255}});
  strokes.dot({50, 0, 1}, {4, {0, 255, 0, 255}});
  const auto drawn = strokes.take();
  ASSERT_EQ(drawn.size(), 2u);
  EXPECT_GE(drawn[0].from[0], -3);
  EXPECT_LE(drawn[0].to[0], 103);
  EXPECT_EQ(drawn[1].from, drawn[1].to);
  EXPECT_FLOAT_EQ(drawn[1].from[0], 50);
}

TEST(ViewLines, DrawsRoundCircles) {
  StrokeList strokes(make_lens(1, 1000, 1000), 0.1);
  strokes.circle_px({500, 500}, 200, {});
  double widest = 0;
  for (const auto& stroke : strokes.take()) {
    const glm::dvec2 middle(0.5 * (stroke.from[0] + stroke.to[0]),
                            0.5 * (stroke.from[1] + stroke.to[1]));
    widest = std::max(widest, std::abs(glm::length(middle - glm::dvec2(500)) - 200));
  }
  EXPECT_LT(widest, 0.2);
  EXPECT_GT(widest, 0);
}

}  // namespace
}  // namespace mote
