// Ranges and ticks of a chart's axes.
#include "core/axis.h"

#include <gtest/gtest.h>

#include <limits>

namespace mote {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Axis, TicksAreRoundInsideTheRangeAndAboutAsManyAsRequested) {
  EXPECT_EQ(round_ticks(0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(round_ticks(-1, 1, 4), (std::vector<double>{-1, -0.5, 0, 0.5, 1}));
  for (const double high : {1e-9, 0.3, 7.0, 7000.0, 3e12}) {
    for (const int count : {2, 5, 8}) {
      const std::vector<double> ticks = round_ticks(0, high, count);
      EXPECT_GE(ticks.size(), 2u) << high;
      EXPECT_LE(ticks.size(), static_cast<std::size_t>(count) + 1) << high;
      EXPECT_GE(ticks.front(), 0);
      EXPECT_LE(ticks.back(), high * (1 + 1e-9));
    }
  }
}

TEST(Axis, HasAtLeastTwoTicksForAnyRange) {
  EXPECT_EQ(round_ticks(0, 425, 2), (std::vector<double>{0, 200, 400}));
  for (int low = 0; low < 30; ++low) {
    for (int length = 1; length < 300; ++length) {
      for (const int count : {2, 3, 6}) {
        const std::size_t ticks = round_ticks(0.7 * low, 0.7 * low + length, count).size();
        EXPECT_GE(ticks, 2u) << low << ' ' << length << ' ' << count;
        EXPECT_LE(ticks, 2u * static_cast<std::size_t>(count) + 1) << low << ' ' << length;
      }
    }
  }
}

TEST(Axis, LogarithmicTicksAreFewForAnyRange) {
  EXPECT_EQ(axis_ticks({0.1, 10, true}, 5), (std::vector<double>{0.1, 0.2, 0.5, 1, 2, 5, 10}));
  const std::vector<double> far = axis_ticks({1e-6, 1e3, true}, 4);
  EXPECT_LE(far.size(), 10u);
  EXPECT_DOUBLE_EQ(far[1] / far[0], 10);
  EXPECT_GE(axis_ticks({3, 4, true}, 4).size(), 2u) << "even ones where no power is near";
}

TEST(Axis, PositionsAndValuesAreInverse) {
  for (const bool logarithmic : {false, true}) {
    const AxisScale scale{0.02, 7, logarithmic};
    EXPECT_DOUBLE_EQ(scale.share(0.02), 0);
    EXPECT_DOUBLE_EQ(scale.share(7), 1);
    for (const double value : {0.03, 0.5, 6.0}) {
      EXPECT_NEAR(scale.value(scale.share(value)), value, 1e-12);
    }
  }
}

TEST(Axis, HasAScaleForAnyValues) {
  for (const bool logarithmic : {false, true}) {
    for (const bool from_zero : {false, true}) {
      if (logarithmic && from_zero) continue;
      for (const std::vector<double>& values :
           {std::vector<double>{}, {kNan}, {5}, {5, 5}, {1e-9, 1e9}}) {
        ValueRange range;
        for (const double value : values) range.add(value);
        const AxisScale scale = padded_scale(range, logarithmic, from_zero);
        EXPECT_LT(scale.low, scale.high);
        EXPECT_FALSE(axis_ticks(scale, 4).empty());
        EXPECT_TRUE(!logarithmic || scale.low > 0);
        EXPECT_TRUE(range.empty() || range.high < scale.high);
      }
    }
  }
  ValueRange range;
  range.add(3);
  EXPECT_EQ(padded_scale(range, false, true).low, 0);
}

TEST(Axis, NumbersAreShort) {
  EXPECT_EQ(axis_number(0.30000000000000004), "0.3");
  EXPECT_EQ(axis_number(2500), "2500");
  EXPECT_EQ(axis_number(30000), "30 k");
}

}  // namespace
}  // namespace mote
