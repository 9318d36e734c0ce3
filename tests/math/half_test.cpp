// Halves: all of them, and rounding between them.
#include "math/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mote {
namespace {

constexpr unsigned kInfinity = 0x7c00;

/// By the definition of the format.
double defined(unsigned half) {
  const int exponent = static_cast<int>(half >> 10 & 31);
  const double mantissa = half & 1023;
  const double sign = half & 0x8000 ? -1 : 1;
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(mantissa + 1024, exponent - 25);
}

TEST(Half, EachHalfHasItsValueAndComesBack) {
  for (unsigned half = 0; half < 0x10000; ++half) {
    const float value = from_half(static_cast<std::uint16_t>(half));
    const unsigned magnitude = half & 0x7fff;
    if (magnitude > kInfinity) {
      EXPECT_TRUE(std::isnan(value)) << half;
      EXPECT_GT(to_half(value) & 0x7fff, kInfinity) << half;
      continue;
    }
    if (magnitude == kInfinity) {
      EXPECT_TRUE(std::isinf(value)) << half;
    } else {
      EXPECT_EQ(value, defined(half)) << half;
    }
    EXPECT_EQ(std::signbit(value), half >= 0x8000) << half;
    EXPECT_EQ(to_half(value), half);
  }
}

TEST(Half, RoundsToTheNearestAndTiesToEven) {
  for (unsigned half = 0; half + 1 < kInfinity; ++half) {
    const auto middle = static_cast<float>(0.5 * (defined(half) + defined(half + 1)));
    const unsigned even = half % 2 == 0 ? half : half + 1;
    EXPECT_EQ(to_half(middle), even) << half;
    EXPECT_EQ(to_half(std::nextafter(middle, 0.0f)), half) << half;
    EXPECT_EQ(to_half(std::nextafter(middle, 1e9f)), half + 1) << half;
    EXPECT_EQ(to_half(-middle), even | 0x8000) << half;
  }
}

TEST(Half, ValuesBeyondTheLargestAreInfinite) {
  EXPECT_EQ(from_half(to_half(kLargestHalfFloat)), kLargestHalfFloat);
  EXPECT_EQ(to_half(std::nextafter(65520.0f, 0.0f)), 0x7bff);
  EXPECT_EQ(to_half(65520.0f), kInfinity);
  EXPECT_EQ(to_half(-std::numeric_limits<float>::max()), kInfinity | 0x8000);
}

}  // namespace
}  // namespace mote
