// The splats that a selection keeps, and the statistics of a scene.
#include "splats/selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "splats/statistics.h"
#include "support/random_cloud.h"

namespace mote {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

void expect_same_splat(const SplatCloud& a, std::size_t i, const SplatCloud& b, std::size_t j) {
  for (int f = 0; f < kGaussianFields; ++f) {
    EXPECT_EQ(a.at(i, static_cast<Field>(f)), b.at(j, static_cast<Field>(f)));
  }
  for (int k = 0; k < a.sh_coefficients(); ++k) {
    for (int c = 0; c < 3; ++c) EXPECT_EQ(a.sh(i, k, c), b.sh(j, k, c));
  }
}

TEST(Selection, WithoutRulesKeepsEverything) {
  SplatCloud cloud = random_cloud(50, 2, 1);
  cloud.at(7, Field::mean_x) = kNan;
  cloud.at(8, Field::logit_opacity) = kNan;
  EXPECT_EQ(select(cloud, {}).kept, 50u);
  EXPECT_EQ(cloud.count(), 50u);
}

TEST(Selection, ACropKeepsExactlyTheSplatsInTheBoxInTheirOrder) {
  const SplatCloud before = random_cloud(200, 1, 2);
  SplatCloud cloud = random_cloud(200, 1, 2);
  const Box box{{-0.2, -0.5, -0.3}, {0.4, 0.5, 0.5}};
  const SelectionCounts counts = select(cloud, {.crop = box});
  std::size_t next = 0;
  for (std::size_t i = 0; i < before.count(); ++i) {
    const float x = before.at(i, Field::mean_x), y = before.at(i, Field::mean_y),
                z = before.at(i, Field::mean_z);
    if (x < -0.2 || x > 0.4 || y < -0.5 || y > 0.5 || z < -0.3 || z > 0.5) continue;
    ASSERT_LT(next, cloud.count());
    expect_same_splat(cloud, next++, before, i);
  }
  EXPECT_EQ(next, cloud.count());
  EXPECT_GT(next, 0u);
  EXPECT_LT(next, before.count());
  EXPECT_EQ(counts.kept, next);
  EXPECT_EQ(counts.outside, before.count() - next);
}

TEST(Selection, InvalidSplatsAreDroppedButInfiniteOpacitiesAreValid) {
  SplatCloud cloud = random_cloud(40, 1, 3);
  cloud.at(1, Field::mean_y) = kNan;
  cloud.at(2, Field::log_scale_z) = -kInfinity;
  cloud.at(3, Field::rotation_x) = kInfinity;
  cloud.sh(4, 3, 2) = kNan;
  cloud.at(5, Field::logit_opacity) = kNan;
  for (const Field f :
       {Field::rotation_w, Field::rotation_x, Field::rotation_y, Field::rotation_z}) {
    cloud.at(6, f) = 0;
  }
  cloud.at(7, Field::logit_opacity) = kInfinity;
  cloud.at(8, Field::logit_opacity) = -kInfinity;
  const SelectionCounts counts = select(cloud, {.drop_invalid = true});
  EXPECT_EQ(counts.invalid, 6u);
  EXPECT_EQ(counts.kept, 34u);
  for (std::size_t i = 0; i < cloud.count(); ++i) EXPECT_TRUE(is_valid(cloud, i));
}

TEST(Selection, TheOpacityThresholdIsInclusive) {
  SplatCloud cloud = random_cloud(5, 0, 4);
  const float kLogits[] = {0.0f, -0.01f, kInfinity, -kInfinity, kNan};
  for (std::size_t i = 0; i < 5; ++i) cloud.at(i, Field::logit_opacity) = kLogits[i];
  const SelectionCounts counts = select(cloud, {.min_opacity = 0.5});
  EXPECT_EQ(counts.faint, 3u);
  ASSERT_EQ(cloud.count(), 2u);
  EXPECT_EQ(cloud.at(0, Field::logit_opacity), 0.0f);
  EXPECT_EQ(cloud.at(1, Field::logit_opacity), kInfinity);
  EXPECT_EQ(select(cloud, {.min_opacity = 1}).kept, 1u);
}

TEST(Statistics, PercentilesMatchTheSortedValues) {
  const SplatCloud cloud = random_cloud(1001, 0, 5);
  std::vector<float> sizes, xs;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    sizes.push_back(
        std::exp(std::max({cloud.at(i, Field::log_scale_x), cloud.at(i, Field::log_scale_y),
                           cloud.at(i, Field::log_scale_z)})));
    xs.push_back(cloud.at(i, Field::mean_x));
  }
  std::sort(sizes.begin(), sizes.end());
  std::sort(xs.begin(), xs.end());
  const CloudStatistics statistics = measure(cloud);
  for (std::size_t i = 0; i < Distribution::kPercents.size(); ++i) {
    const auto rank = static_cast<std::size_t>(Distribution::kPercents[i] * 10);
    EXPECT_EQ(statistics.size.percentiles[i], sizes[rank]);
  }
  EXPECT_EQ(statistics.bounds.low.x, xs.front());
  EXPECT_EQ(statistics.inner_bounds.low.x, xs[10]);
  EXPECT_EQ(statistics.inner_bounds.high.x, xs[990]);
  EXPECT_EQ(statistics.bounds.high.x, xs.back());
}

TEST(Statistics, EveryFiniteValueIsInOneBin) {
  SplatCloud cloud = random_cloud(500, 0, 6);
  cloud.at(3, Field::logit_opacity) = kNan;
  cloud.at(4, Field::log_scale_x) = kInfinity;
  const CloudStatistics statistics = measure(cloud);
  const auto total = [](const Distribution& d) {
    return std::accumulate(d.bins.begin(), d.bins.end(), std::uint64_t{0});
  };
  EXPECT_EQ(total(statistics.opacity), 499u);
  EXPECT_EQ(total(statistics.size), 499u);
}

TEST(Statistics, OdditiesAreCounted) {
  SplatCloud cloud = random_cloud(100, 0, 7);
  for (std::size_t i = 0; i < cloud.count(); ++i) cloud.at(i, Field::logit_opacity) = 0;
  cloud.at(1, Field::logit_opacity) = kInfinity;
  cloud.at(2, Field::logit_opacity) = -kInfinity;
  cloud.at(3, Field::logit_opacity) = -6;  // opacity 0.0025
  cloud.at(4, Field::log_scale_y) = 10;
  cloud.at(5, Field::mean_z) = kInfinity;
  for (const Field f :
       {Field::rotation_w, Field::rotation_x, Field::rotation_y, Field::rotation_z}) {
    cloud.at(6, f) = 0;
  }
  const CloudStatistics statistics = measure(cloud);
  EXPECT_EQ(statistics.infinite_opacity, 2u);
  EXPECT_EQ(statistics.invisible, 2u);
  EXPECT_EQ(statistics.huge, 1u);
  EXPECT_EQ(statistics.invalid, 2u);
  EXPECT_EQ(statistics.zero_rotation, 1u);
  EXPECT_TRUE(std::isfinite(statistics.bounds.high.z));
}

TEST(Statistics, EmptyScenesHaveStatistics) {
  SplatCloud cloud = random_cloud(3, 0, 8);
  for (std::size_t i = 0; i < 3; ++i) {
    for (int f = 0; f < kGaussianFields; ++f) cloud.at(i, static_cast<Field>(f)) = kNan;
  }
  EXPECT_EQ(measure(cloud).invalid, 3u);
  EXPECT_EQ(measure(SplatCloud()).invalid, 0u);
}

}  // namespace
}  // namespace mote
