// Charts leave out values that cannot be drawn.
#include "core/chart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace mote {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

TEST(Chart, NonFinitePointsAreLeftOut) {
  ChartSeries series{
      .name = "s", .color = "#123456", .x = {1, 2, kNotANumber, 4}, .y = {1, kNotANumber, 3, 4}};
  const std::string svg = chart_svg({.title = "t",
                                     .subtitle = "",
                                     .x_label = "steps",
                                     .panels = {{.title = "p", .series = {series}}}});
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  const std::size_t points = svg.find("points=\"");
  ASSERT_NE(points, std::string::npos);
  const std::string list = svg.substr(points, svg.find("\"/>", points) - points);
  EXPECT_EQ(std::count(list.begin(), list.end(), ','), 2) << list;
}

TEST(Chart, ALogarithmicAxisLeavesOutNonPositiveValuesAndAlwaysHasTicks) {
  for (const double span : {1.0, 1.01, 3.0, 1000.0}) {
    const ChartSeries series{
        .color = "#123456", .x = {0, 1, 2, 3}, .y = {0, -1, 0.05, 0.05 * span}};
    const std::string svg =
        chart_svg({.title = "t",
                   .subtitle = "",
                   .x_label = "x",
                   .panels = {{.title = "p", .series = {series}, .logarithmic = true}}});
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.find("inf"), std::string::npos);
    EXPECT_NE(svg.find("text-anchor=\"end\""), std::string::npos) << span;
  }
}

TEST(Chart, EqualValuesAndNoValuesAreDrawn) {
  for (const std::vector<double>& y : {std::vector<double>{}, {5.0, 5.0}, {0.0, 0.0}}) {
    ChartSeries series{.color = "#123456", .y = y};
    for (std::size_t i = 0; i < y.size(); ++i) series.x.push_back(7);
    const std::string svg = chart_svg({.title = "t",
                                       .subtitle = "",
                                       .x_label = "x",
                                       .panels = {{.title = "p", .series = {series}}}});
    EXPECT_EQ(svg.find("nan"), std::string::npos) << svg;
    EXPECT_TRUE(svg.ends_with("</svg>\n"));
  }
}

}  // namespace
}  // namespace mote
