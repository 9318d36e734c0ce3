// The range of a path against many samples of it.
#include "splats/cubic_path.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace mote {
namespace {

void expect_range(const CubicPath& path, double first, double last) {
  constexpr int kSamples = 4000;
  PathRange sampled{path.at(first), path.at(first)};
  for (int i = 0; i <= kSamples; ++i) {
    const double value = path.at(first + (last - first) * i / kSamples);
    sampled = {std::min(sampled.low, value), std::max(sampled.high, value)};
  }
  const PathRange range = range_of(path, first, last);
  const double size = sampled.high - sampled.low;
  constexpr double kRounding = 1e-14;
  EXPECT_LE(range.low, sampled.low + kRounding);
  EXPECT_GE(range.high, sampled.high - kRounding);
  EXPECT_GE(range.low, sampled.low - 1e-5 * size - 1e-15);
  EXPECT_LE(range.high, sampled.high + 1e-5 * size + 1e-15);
}

TEST(CubicPath, RangesAreExactForEachDegree) {
  std::mt19937 engine(5);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int round = 0; round < 400; ++round) {
    CubicPath path{unit(engine), unit(engine), unit(engine), unit(engine)};
    if (round % 4 < 3) path.cubic = 0;
    if (round % 4 < 2) path.quadratic = 0;
    if (round % 4 < 1) path.velocity = 0;
    const double first = 2 * unit(engine);
    expect_range(path, first, first + 1 + unit(engine));
  }
}

TEST(CubicPath, TinyCoefficientsLoseNoTurn) {
  for (const double cubic : {1e-18, 1e-12, 1e-6}) {
    expect_range({.position = 1, .velocity = 1, .quadratic = -0.5, .cubic = cubic}, 0, 2);
    expect_range({.position = 1, .velocity = cubic, .quadratic = -0.5, .cubic = 1}, -1, 1);
  }
}

TEST(CubicPath, PathsThatAreNotFiniteEnd) {
  const PathRange range = range_of({.position = 0, .velocity = NAN}, 0, 1);
  EXPECT_FALSE(range.low < range.high);
}

}  // namespace
}  // namespace mote
