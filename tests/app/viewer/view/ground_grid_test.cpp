// The ground grid, the axis cross, and the numbers beside colour scales.
#include "app/viewer/view/ground_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>

#include "app/viewer/view/axis_cross.h"
#include "app/viewer/view/legend_scale.h"

namespace mote {
namespace {

TEST(GroundGrid, LiesOnThePlaneThroughTheOrigin) {
  for (const glm::dvec3 up : {glm::dvec3(0, -1, 0), glm::dvec3(0, 0, 1), glm::dvec3(1, 2, -3)}) {
    const auto lines = grid_lines({3, 1, 2}, up, 5);
    ASSERT_GT(lines.size(), 100u);
    int upright = 0;
    for (const GridLine& line : lines) {
      EXPECT_GT(line.opacity, 0);
      EXPECT_LE(line.opacity, 1);
      const bool is_upright =
          std::abs(glm::dot(glm::normalize(line.to - line.from), glm::normalize(up))) > 1 - 1e-9;
      upright += is_upright;
      if (is_upright) continue;
      EXPECT_LT(std::abs(glm::dot(line.from, up)), 1e-9);
      EXPECT_LT(std::abs(glm::dot(line.to, up)), 1e-9);
    }
    EXPECT_GT(upright, 0);
  }
}

TEST(GroundGrid, MarksTheAxesOfTheWorldThatLieInIt) {
  const auto lines = grid_lines({0, 0, 0}, {0, 0, 1}, 5);
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [&](const GridLine& line) {
      const glm::dvec3 way = glm::normalize(line.to - line.from);
      return line.axis == axis && std::abs(way[axis]) > 1 - 1e-9;
    })) << axis;
  }
  for (const GridLine& line : grid_lines({0, 0, 0}, {1, 2, -3}, 5)) EXPECT_EQ(line.axis, -1);
}

TEST(GroundGrid, FadesAwayFromTheFocus) {
  double near = 0, far = 1;
  for (const GridLine& line : grid_lines({40, 0, 7}, {0, -1, 0}, 2)) {
    if (line.axis >= 0) continue;
    const double away = glm::length(0.5 * (line.from + line.to) - glm::dvec3(40, 0, 7));
    if (away < 2) near = std::max(near, line.opacity);
    if (away > 12) far = std::min(far, line.opacity);
    EXPECT_LT(away, 16.1);
  }
  EXPECT_GT(near, 0.4);
  EXPECT_LT(far, 0.05);
}

TEST(GroundGrid, KeepsItsNumberOfLinesAtAnyDistance) {
  for (double distance = 1e-6; distance < 1e6; distance *= 1.37) {
    const double spacings = distance / grid_spacing(distance);
    EXPECT_GE(spacings, 3 - 1e-9);
    EXPECT_LE(spacings, 30 + 1e-9);
    EXPECT_LT(grid_lines({0, 0, 0}, {0, -1, 0}, distance).size(), 6000u);
  }
  EXPECT_TRUE(grid_lines({0, 0, 0}, {0, -1, 0}, 0).empty());
  EXPECT_TRUE(grid_lines({NAN, 0, 0}, {0, -1, 0}, 1).empty());
}

TEST(GroundGrid, DoesNotJumpWhenItsSpacingChanges) {
  // Just before and after a power of ten of the spacing: the coarse lines become the fine ones.
  const auto ink = [](double distance) {
    double sum = 0;
    for (const GridLine& line : grid_lines({0, 0, 0}, {0, -1, 0}, distance)) {
      if (line.axis < 0) sum += line.opacity * glm::length(line.to - line.from);
    }
    return sum;
  };
  EXPECT_NEAR(ink(3 - 1e-6) / ink(3 + 1e-6), 1, 0.01);
}

TEST(AxisCross, ShowsTheAxesAsTheCameraSeesThem) {
  const auto ends = cross_ends(glm::dmat3(1));  // x right, y down, z away
  EXPECT_EQ(name_of(ends.front()), "z") << "the farthest first";
  EXPECT_EQ(name_of(ends.back()), "-z");
  int found = 0;
  for (const CrossEnd& end : ends) {
    if (name_of(end) == "x") {
      ++found;
      EXPECT_LT(glm::length(end.place - glm::dvec2(1, 0)), 1e-12);
    }
    if (name_of(end) == "-y") {
      ++found;
      EXPECT_LT(glm::length(end.place - glm::dvec2(0, -1)), 1e-12);
    }
  }
  EXPECT_EQ(found, 2);
}

TEST(LegendScale, HasRoundNumbersInTheRange) {
  const Legend even{.values = "", .color = nullptr, .title = "depth", .unit = "world units"};
  const auto ticks = legend_ticks(even, {2.3f, 9.8f}, 6);
  ASSERT_GE(ticks.size(), 3u);
  EXPECT_LE(ticks.size(), 9u);
  for (const LegendTick& tick : ticks) {
    EXPECT_NEAR(2.3 + tick.place * (9.8 - 2.3), std::stod(tick.text), 1e-4);
  }
  EXPECT_TRUE(legend_ticks(even, {1, 1}, 6).empty());
  EXPECT_TRUE(legend_ticks(even, {0, NAN}, 6).empty());
}

TEST(LegendScale, PlacesPowersOfTenOnALogarithmicScale) {
  const Legend scale{
      .values = "", .color = nullptr, .title = "density", .unit = "", .logarithmic = true};
  const auto ticks = legend_ticks(scale, {0, 999}, 6);
  ASSERT_EQ(ticks.size(), 4u);
  EXPECT_EQ(ticks[0].place, 0);
  EXPECT_EQ(ticks[3].text, "100");
  EXPECT_NEAR(ticks[3].place, std::log(101.0) / std::log(1000.0), 1e-9);
}

}  // namespace
}  // namespace mote
