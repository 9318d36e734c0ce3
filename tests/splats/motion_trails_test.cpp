// Trails of splats that move: where they are drawn, and of which splats.
#include "splats/motion_trails.h"

#include <gtest/gtest.h>

#include <cmath>
#include <glm/geometric.hpp>

#include "splats/motions/life.h"
#include "support/random_cloud.h"
#include "support/random_field.h"

namespace mote {
namespace {

/// Splats that live from 0.5 s to 1.5 s, with a velocity of `speed` along y.
SplatCloud movers(std::size_t count, float speed) {
  SplatCloud cloud = random_moving_cloud(count, 1, 3);
  for (std::size_t i = 0; i < count; ++i) {
    cloud.at(i, Field::mean_x) = static_cast<float>(i);
    cloud.at(i, Field::mean_y) = cloud.at(i, Field::mean_z) = 0;
    cloud.at(i, Field::velocity_x) = cloud.at(i, Field::velocity_z) = 0;
    cloud.at(i, Field::velocity_y) = speed;
    cloud.at(i, Field::logit_opacity) = 3;
    cloud.at(i, Field::time_mean) = 1;
    cloud.at(i, Field::log_time_sigma) = -30;
    cloud.at(i, Field::log_time_plateau) = std::log(0.5f);
  }
  return cloud;
}

TEST(MotionTrails, AreTheWaysOfLivingSplats) {
  const MotionTrails trails(movers(2, 3), {});
  const auto ways = trails.at(1.25, 0.6);
  ASSERT_EQ(ways.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    ASSERT_EQ(ways[i].size(), MotionTrails::kSteps + 1u);
    for (int step = 0; step <= MotionTrails::kSteps; ++step) {
      const double then_s = 1.25 - 0.6 * step / MotionTrails::kSteps;
      const glm::dvec3 expected(static_cast<double>(i), 3 * (then_s - 1), 0);
      EXPECT_LT(glm::length(ways[i][static_cast<std::size_t>(step)] - expected), 1e-6);
    }
  }
  EXPECT_EQ(trails.at(0.75, 0.6)[0].size(), 3u) << "0.75, 0.65 and 0.55 s; then it did not live";
  EXPECT_TRUE(trails.at(1.75, 0.6).empty()) << "nothing lives";
}

TEST(MotionTrails, AreKeptForTheSameTimes) {
  const MotionTrails trails(movers(2, 3), {});
  const auto first = trails.kept_at(1.25, 0.6);
  EXPECT_EQ(*first, trails.at(1.25, 0.6));
  EXPECT_EQ(trails.kept_at(1.25, 0.6), first) << "the same object";
  EXPECT_EQ(*trails.kept_at(0.75, 0.6), trails.at(0.75, 0.6));
  EXPECT_EQ(*trails.kept_at(0.75, 0.5), trails.at(0.75, 0.5));
}

TEST(MotionTrails, FollowOnlyWhatMoves) {
  SplatCloud cloud = movers(40, 2);
  SplatMask deleted(40);
  for (std::size_t i = 0; i < 10; ++i) {
    deleted.set(i, true);
    cloud.at(10 + i, Field::velocity_y) = 0;
    cloud.at(20 + i, Field::logit_opacity) = -4;
  }
  const auto ways = MotionTrails(cloud, deleted).at(1, 0.1);
  ASSERT_EQ(ways.size(), 10u);
  for (const auto& way : ways) EXPECT_GE(way.front().x, 30);
  EXPECT_TRUE(MotionTrails(movers(5, 0), {}).empty());
  EXPECT_TRUE(MotionTrails(random_cloud(50, 0, 1), {}).empty()) << "they have no motion";
}

TEST(MotionTrails, AreFewInALargeScene) {
  const MotionTrails trails(movers(100'000, 1), {});
  const std::size_t count = trails.at(1, 0.1).size();
  EXPECT_LE(count, MotionTrails::kMost);
  EXPECT_GT(count, MotionTrails::kMost / 2);
}

TEST(MotionTrails, FollowSplatsThatAFieldMoves) {
  SplatCloud cloud = random_deformed_cloud(40, 1, 5);
  for (std::size_t i = 0; i < cloud.count(); ++i) cloud.at(i, Field::logit_opacity) = 2;
  const MotionTrails trails(cloud, {});
  const auto ways = trails.at(1.5, 0.6);
  ASSERT_GT(ways.size(), 20u);
  const SplatCloud now = deformed(cloud, 1.5), before = deformed(cloud, 0.9);
  const auto place = [](const SplatCloud& moment, std::size_t i) {
    return glm::dvec3(moment.at(i, Field::mean_x), moment.at(i, Field::mean_y),
                      moment.at(i, Field::mean_z));
  };
  for (const auto& way : ways) {
    ASSERT_EQ(way.size(), MotionTrails::kSteps + 1u);
    std::size_t found = 0;
    for (std::size_t i = 0; i < cloud.count(); ++i) {
      if (way.front() == place(now, i) && way.back() == place(before, i)) ++found;
    }
    EXPECT_EQ(found, 1u);
  }
  EXPECT_EQ(trails.at(0.15, 0.6)[0].size(), 2u) << "0.15 and 0.05 s; then the scene had not begun";
  SplatMask all(40);
  for (std::size_t i = 0; i < 40; ++i) all.set(i, true);
  EXPECT_TRUE(MotionTrails(cloud, all).empty());
  cloud.deformation = std::make_shared<const DeformationField>(
      initial_deformation(kTinyField, {-1, -1, -1}, {1, 1, 1}, 3));
  EXPECT_TRUE(MotionTrails(cloud, {}).empty()) << "a new field moves nothing";
}

}  // namespace
}  // namespace mote
