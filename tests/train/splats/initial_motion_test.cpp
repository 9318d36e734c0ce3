// The first motions of splats, and the options that follow from a dataset with times.
#include "train/splats/initial_motion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/fake_training.h"
#include "support/random_cloud.h"
#include "train/splats/train_options.h"

namespace mote {
namespace {

TEST(InitialMotion, SeedsWithTimesLiveAroundThemAndOthersAlways) {
  // Every second seed has a time, of six moments of one second.
  const std::vector<glm::dvec3> positions(12), velocities(12, {0, 3, 0});
  std::vector<double> times_s(12, kAlways);
  for (std::size_t i = 1; i < 12; i += 2) times_s[i] = static_cast<double>(i / 2) / 5;
  SplatCloud cloud(positions.size(), {SplatKind::gaussian, 0, SplatMotion::life});
  for (std::size_t i = 0; i < cloud.count(); ++i) cloud.at(i, Field::log_scale_x) = -3;
  set_first_motion({.positions = positions,
                    .times_s = times_s,
                    .colors = {},
                    .times = {.duration_s = 1, .frames_per_second = 5}},
                   velocities, cloud);
  EXPECT_EQ(cloud.times.duration_s, 1);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    const double sigma = std::exp(static_cast<double>(cloud.at(i, Field::log_time_sigma)));
    EXPECT_EQ(cloud.at(i, Field::velocity_y), 3);
    if (i % 2 == 0) {
      EXPECT_GT(sigma, 1);
      EXPECT_EQ(cloud.at(i, Field::log_scale_x), -3);
    } else {
      EXPECT_LT(sigma, 0.5);
      EXPECT_FLOAT_EQ(cloud.at(i, Field::time_mean), static_cast<float>(times_s[i]));
      EXPECT_GT(cloud.at(i, Field::log_scale_x), -3) << "few live at one time";
    }
  }
}

TEST(InitialMotion, OnlyPointsOfSeveralTimesTellWhatMoves) {
  Dataset dataset = ring_dataset(6, 20);
  EXPECT_FALSE(has_moving_points(dataset));
  dataset.points.times_s.assign(20, 0.5);
  EXPECT_FALSE(has_moving_points(dataset));
  dataset.points.times_s[7] = 0.52;
  EXPECT_TRUE(has_moving_points(dataset));
  dataset.time.frames_per_second = 30;
  EXPECT_FALSE(has_moving_points(dataset)) << "a clock that is off by half a frame";
  dataset.points.times_s[7] = 0.54;
  EXPECT_TRUE(has_moving_points(dataset));
}

TEST(InitialMotion, RemovedVelocitiesAreZero) {
  SplatCloud cloud = random_moving_cloud(20, 0, 3);
  remove_velocities(cloud);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    for (const Field field : {Field::velocity_x, Field::velocity_y, Field::velocity_z}) {
      EXPECT_EQ(cloud.at(i, field), 0);
    }
  }
}

TEST(InitialMotion, StillSplatsGetEndlessLives) {
  const SplatCloud still = random_cloud(20, 1, 3);
  const SplatCloud cloud =
      with_motion(still, SplatMotion::life, {.duration_s = 2, .frames_per_second = 10});
  ASSERT_EQ(cloud.motion(), SplatMotion::life);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    EXPECT_EQ(cloud.at(i, Field::mean_y), still.at(i, Field::mean_y));
    EXPECT_EQ(cloud.sh(i, 3, 2), still.sh(i, 3, 2));
    EXPECT_EQ(cloud.at(i, Field::velocity_z), 0);
    EXPECT_GT(std::exp(cloud.at(i, Field::log_time_sigma)), 2);
  }
}

TEST(InitialMotion, LivesBecomePathsOfTheSameSplats) {
  const SplatCloud life = random_moving_cloud(20, 1, 3);
  const SplatCloud poly = with_motion(life, SplatMotion::poly, {});
  ASSERT_EQ(poly.motion(), SplatMotion::poly);
  EXPECT_EQ(poly.times, life.times);
  for (std::size_t i = 0; i < poly.count(); ++i) {
    for (const Field field : poly.info().stored()) {
      EXPECT_EQ(poly.at(i, field), life.info().stores(field) ? life.at(i, field) : 0);
    }
  }
}

TEST(InitialMotion, OptionsFollowFromTheTimesOfThePhotographs) {
  Dataset dataset = ring_dataset(6, 20);
  for (Photograph& photograph : dataset.photographs) photograph.time_s = 0.5;
  TrainOptions options;
  EXPECT_FALSE(has_times(dataset));
  EXPECT_EQ(settled(options, dataset).motion, "still");
  EXPECT_EQ(settled(options, dataset).strategy, "adc");
  dataset.photographs[dataset.train.back()].time_s = 1.5;
  EXPECT_TRUE(has_times(dataset));
  EXPECT_EQ(scene_times(dataset).duration_s, 1.5);
  EXPECT_EQ(settled(options, dataset).motion, "life");
  EXPECT_EQ(settled(options, dataset).strategy, "relocation");
  options.strategy = "mcmc";
  EXPECT_EQ(settled(options, dataset).strategy, "mcmc");
  options.motion = "still";
  EXPECT_EQ(settled(options, dataset).motion, "still");
  options.motion = "auto";
  options.kind = "surfel";
  EXPECT_EQ(settled(options, dataset).motion, "still") << "surfels do not move";
  options.motion = "life";
  EXPECT_THROW(options.check(), UsageError);
}

}  // namespace
}  // namespace mote
