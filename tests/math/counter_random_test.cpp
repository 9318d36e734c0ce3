// Random numbers derived from a seed and an index: the published sequence and the stated
// distributions.
#include "math/counter_random.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

namespace mote {
namespace {

TEST(CounterRandom, FollowsThePublishedSequence) {
  // SplitMix64 of seed 1234567, as in the public-domain code of S. Vigna.
  constexpr std::uint64_t kExpected[] = {6457827717110365317u, 3203168211198807973u,
                                         9817491932198370423u};
  for (std::uint64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(mixed_bits(1234567 + (i + 1) * 0x9e3779b97f4a7c15u), kExpected[i]);
  }
}

TEST(CounterRandom, NeighbouringSeedsAndIndicesAreUncorrelated) {
  constexpr int kCount = 20000;
  for (const auto& [seed_step, number_step] : {std::pair{0u, 1u}, {1u, 0u}, {1u, 1u}}) {
    double differing = 0;
    for (std::uint64_t i = 0; i < kCount; ++i) {
      differing += std::popcount(random_bits(7, i) ^ random_bits(7 + seed_step, i + number_step));
    }
    // Half of 64 bits differ on average, with deviation 4 each time.
    EXPECT_NEAR(differing / kCount, 32, 5 * 4 / std::sqrt(kCount));
  }
}

TEST(CounterRandom, BelowGivesEveryValueEquallyOften) {
  constexpr int kCount = 70000;
  std::array<int, 7> bins{};
  for (std::uint64_t i = 0; i < kCount; ++i) ++bins.at(random_below(7, random_bits(3, i)));
  // Chi-squared with 6 degrees of freedom: above 22.5 once in a thousand seeds.
  double chi2 = 0;
  for (const int count : bins) chi2 += std::pow(count - kCount / 7.0, 2) / (kCount / 7.0);
  EXPECT_LT(chi2, 22.5);
  EXPECT_EQ(random_below(7, ~std::uint64_t{0}), 6u);
  EXPECT_EQ(random_below(~std::uint64_t{0}, ~std::uint64_t{0}), ~std::uint64_t{0} - 1);
}

TEST(CounterRandom, NormalsHaveTheMomentsOfTheNormalDistribution) {
  constexpr int kCount = 100000;
  double sum = 0, squares = 0, fourths = 0, beyond_two = 0;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const double x = random_normal(random_bits(11, i));
    sum += x;
    squares += x * x;
    fourths += x * x * x * x;
    beyond_two += std::abs(x) > 2;
  }
  EXPECT_NEAR(sum / kCount, 0, 0.015);
  EXPECT_NEAR(squares / kCount, 1, 0.02);
  EXPECT_NEAR(fourths / kCount, 3, 0.15);
  EXPECT_NEAR(beyond_two / kCount, 0.0455, 0.003);
  EXPECT_TRUE(std::isfinite(random_normal(0)));
  EXPECT_TRUE(std::isfinite(random_normal(~std::uint64_t{0})));
}

}  // namespace
}  // namespace mote
