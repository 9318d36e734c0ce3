// Durations and simpler motions: the same moments at the stretched times.
#include "splats/motion_changes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "splats/moment.h"
#include "splats/motions/life.h"
#include "support/random_cloud.h"

namespace mote {
namespace {

/// Compares all stored values of splats that stand still.
void expect_same(const SplatCloud& a, const SplatCloud& b, double tolerance) {
  ASSERT_EQ(a.form(), b.form());
  ASSERT_EQ(a.count(), b.count());
  for (std::size_t i = 0; i < a.count(); ++i) {
    for (const Field field : a.info().stored()) {
      ASSERT_NEAR(a.at(i, field), b.at(i, field), tolerance) << i;
    }
    EXPECT_EQ(a.sh(i, 0, 1), b.sh(i, 0, 1));
  }
}

TEST(MotionChanges, AStretchedSceneShowsTheSameMoments) {
  for (const SplatMotion motion : {SplatMotion::life, SplatMotion::poly}) {
    const SplatCloud cloud = random_moving_cloud(200, 0, 4, motion);
    SplatCloud slow = with_sh_degree(cloud, 0);
    set_duration(slow, 5);
    EXPECT_EQ(slow.times.duration_s, 5);
    EXPECT_DOUBLE_EQ(slow.times.frames_per_second, 12);
    for (const double time_s : {0.2, 1.0, 1.9}) {
      const SplatCloud expected = moment_of(cloud, time_s);
      ASSERT_GT(expected.count(), 30u);
      expect_same(moment_of(slow, 2.5 * time_s), expected, 2e-4);
    }
  }
}

TEST(MotionChanges, StaticSplatsStayStatic) {
  SplatCloud cloud = random_moving_cloud(3, 0, 4);
  cloud.at(1, Field::log_time_plateau) = kStaticLogPlateau;
  set_duration(cloud, 0.01);
  EXPECT_EQ(cloud.at(1, Field::log_time_plateau), kStaticLogPlateau);
}

TEST(MotionChanges, TheSimplestMotionIsTakenThatShowsTheSame) {
  SplatCloud cloud = random_moving_cloud(100, 1, 4, SplatMotion::poly);
  EXPECT_EQ(with_simplest_motion(with_sh_degree(cloud, 1)).motion(), SplatMotion::poly);
  const auto clear_from = [&](Field first) {
    for (const Field field : cloud.info().stored()) {
      for (std::size_t i = 0; field >= first && i < cloud.count(); ++i) cloud.at(i, field) = 0;
    }
  };
  clear_from(Field::quadratic_x);
  const SplatCloud life = with_simplest_motion(with_sh_degree(cloud, 1));
  ASSERT_EQ(life.motion(), SplatMotion::life);
  EXPECT_EQ(life.times, cloud.times);
  expect_same(moment_of(life, 0.7), moment_of(cloud, 0.7), 0);
  clear_from(Field::velocity_x);
  EXPECT_EQ(with_simplest_motion(with_sh_degree(cloud, 1)).motion(), SplatMotion::life);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    cloud.at(i, Field::log_time_plateau) = kStaticLogPlateau;
    cloud.at(i, Field::logit_opacity) = 1;
  }
  const SplatCloud still = with_simplest_motion(with_sh_degree(cloud, 1));
  ASSERT_EQ(still.motion(), SplatMotion::still);
  EXPECT_EQ(still.times, SceneTimes());
  ASSERT_EQ(still.count(), cloud.count());
  for (const Field field : still.info().stored()) {
    EXPECT_EQ(still.at(60, field), cloud.at(60, field));
  }
}

}  // namespace
}  // namespace mote
