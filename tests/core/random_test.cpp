// Random numbers: the published sequence, reproducible, with the stated distributions.
#include "core/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>

namespace mote {
namespace {

TEST(Random, FollowsThePublishedSequence) {
  // The first round of pcg32-demo in the generator's own distribution: seed 42, stream 54.
  constexpr std::uint32_t kExpected[] = {0xa15c02b7, 0x7b47f409, 0xba1d3330,
                                         0x83d2f293, 0xbfa4784b, 0xcbed606e};
  Random random(42, 54);
  for (const std::uint32_t expected : kExpected) EXPECT_EQ(random.next(), expected);
}

TEST(Random, SeedAndStreamDetermineEveryNumber) {
  Random a(7, 1), b(7, 1), other_seed(8, 1), other_stream(7, 2);
  int same_seed = 0, same_stream = 0;
  for (int i = 0; i < 1000; ++i) {
    const double value = a.uniform();
    EXPECT_EQ(value, b.uniform());
    same_seed += value == other_seed.uniform();
    same_stream += value == other_stream.uniform();
  }
  EXPECT_EQ(same_seed, 0);
  EXPECT_EQ(same_stream, 0);
}

TEST(Random, UniformFillsItsRangeEvenly) {
  constexpr int kCount = 100000;
  constexpr std::size_t kBins = 10;
  std::array<int, kBins> bins{};
  Random random(1);
  for (int i = 0; i < kCount; ++i) {
    const double value = random.uniform(-2, 3);
    ASSERT_GE(value, -2);
    ASSERT_LT(value, 3);
    ++bins[static_cast<std::size_t>((value + 2) * 2)];
  }
  // Chi-squared with 9 degrees of freedom: above 27.9 once in a thousand seeds.
  double chi2 = 0;
  for (const int count : bins) chi2 += std::pow(count - kCount / 10.0, 2) / (kCount / 10.0);
  EXPECT_LT(chi2, 27.9);
}

TEST(Random, BelowGivesEveryValueEquallyOften) {
  constexpr int kCount = 70000;
  std::array<int, 7> bins{};
  Random random(2);
  for (int i = 0; i < kCount; ++i) {
    const std::uint32_t value = random.below(7);
    ASSERT_LT(value, 7u);
    ++bins[value];
  }
  double chi2 = 0;
  for (const int count : bins) chi2 += std::pow(count - 10000.0, 2) / 10000.0;
  EXPECT_LT(chi2, 22.5);  // 6 degrees of freedom, once in a thousand
  EXPECT_EQ(random.below(1), 0u);
}

TEST(Random, NormalHasTheMomentsAndTailsOfTheNormalDistribution) {
  constexpr int kCount = 200000;
  double sum = 0, sum2 = 0, sum3 = 0, sum4 = 0;
  int beyond_two = 0;
  Random random(3);
  for (int i = 0; i < kCount; ++i) {
    const double x = random.normal();
    sum += x;
    sum2 += x * x;
    sum3 += x * x * x;
    sum4 += x * x * x * x;
    beyond_two += std::abs(x) > 2;
  }
  // Four standard errors each.
  EXPECT_NEAR(sum / kCount, 0, 4 / std::sqrt(kCount));
  EXPECT_NEAR(sum2 / kCount, 1, 4 * std::sqrt(2.0 / kCount));
  EXPECT_NEAR(sum3 / kCount, 0, 4 * std::sqrt(15.0 / kCount));
  EXPECT_NEAR(sum4 / kCount, 3, 4 * std::sqrt(96.0 / kCount));
  EXPECT_NEAR(beyond_two / static_cast<double>(kCount), 0.0455, 4 * std::sqrt(0.0455 / kCount));
}

}  // namespace
}  // namespace mote
