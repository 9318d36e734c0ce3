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

constexpr int kMoments = 6, kSide = 8;

/// A floor that stands still, and above it a plate that moves along x by 2 units per second, both
/// sampled at six moments of one second.
struct Plates {
  Plates() {
    for (int moment = 0; moment < kMoments; ++moment) {
      const double time_s = moment / (kMoments - 1.0);
      for (int i = 0; i < kSide * kSide; ++i) {
        const double x = 0.1 * (i % kSide), z = 0.1 * (i / kSide);
        add({x, 0, z}, {0.2, 0.2, 0.2}, time_s);
        add({x + 2 * time_s, -1, z}, {0.9, 0.1, 0.1}, time_s);
      }
    }
  }
  void add(const glm::dvec3& place, const std::array<double, 3>& color, double time_s) {
    positions.push_back(place);
    colors.push_back(color);
    times_s.push_back(time_s);
  }
  MotionSeeds seeds() const {
    return {.positions = positions,
            .times_s = times_s,
            .times = {.duration_s = 1, .frames_per_second = 5}};
  }
  bool is_floor(std::size_t i) const { return positions[i].y == 0; }

  std::vector<glm::dvec3> positions;
  std::vector<std::array<double, 3>> colors;
  std::vector<double> times_s;
};

TEST(InitialMotion, PointsThatOtherMomentsShowAgainStandStill) {
  const Plates plates;
  const std::vector<bool> still = stand_still(plates.seeds(), plates.colors);
  for (std::size_t i = 0; i < still.size(); ++i) EXPECT_EQ(still[i], plates.is_floor(i)) << i;
}

TEST(InitialMotion, PointsOfAnotherColourDoNotCount) {
  Plates plates;
  for (std::size_t i = 0; i < plates.colors.size(); ++i) {
    plates.colors[i] = {plates.times_s[i], 0, 0};  // a lamp that gets brighter
  }
  for (const bool still : stand_still(plates.seeds(), plates.colors)) EXPECT_FALSE(still);
}

TEST(InitialMotion, VelocitiesAreThoseOfTheNeighboursUpToTheirDistances) {
  const Plates plates;
  const std::vector<glm::dvec3> velocities = first_velocities(plates.seeds());
  double floor = 0, plate = 0, count = 0;
  for (std::size_t i = 0; i < velocities.size(); ++i) {
    if (plates.times_s[i] == 1) {
      EXPECT_EQ(velocities[i], glm::dvec3(0)) << "nothing follows";
      continue;
    }
    (plates.is_floor(i) ? floor : plate) += velocities[i].x;
    count += 0.5;
  }
  EXPECT_NEAR(floor / count, 0, 1e-9);
  EXPECT_GT(plate / count, 0.3) << "the moved edge is nearest to places further along";
}

TEST(InitialMotion, SeedsWithTimesLiveAroundThemAndOthersAlways) {
  Plates plates;
  for (std::size_t i = 0; i < plates.times_s.size(); ++i) {
    if (plates.is_floor(i)) plates.times_s[i] = kAlways;
  }
  SplatCloud cloud(plates.positions.size(), {SplatKind::gaussian, 0, SplatMotion::life});
  for (std::size_t i = 0; i < cloud.count(); ++i) cloud.at(i, Field::log_scale_x) = -3;
  set_first_motion(plates.seeds(), cloud);
  EXPECT_EQ(cloud.times.duration_s, 1);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    const double sigma = std::exp(static_cast<double>(cloud.at(i, Field::log_time_sigma)));
    if (plates.is_floor(i)) {
      EXPECT_GT(sigma, 1);
      EXPECT_EQ(cloud.at(i, Field::velocity_x), 0);
      EXPECT_EQ(cloud.at(i, Field::log_scale_x), -3);
    } else {
      EXPECT_LT(sigma, 0.5);
      EXPECT_FLOAT_EQ(cloud.at(i, Field::time_mean), static_cast<float>(plates.times_s[i]));
      EXPECT_GT(cloud.at(i, Field::log_scale_x), -3) << "few live at one time";
    }
  }
}

TEST(InitialMotion, OnlyPointsOfSeveralTimesTellWhatMoves) {
  Dataset dataset = ring_dataset(6, 20);
  EXPECT_FALSE(has_moving_points(dataset));
  dataset.points.times_s.assign(20, 0.5);
  EXPECT_FALSE(has_moving_points(dataset));
  dataset.points.times_s[7] = 1;
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
