// Complete trainings of a tiny moving scene on the CPU.
#include <gtest/gtest.h>

#include <array>

#include "core/random.h"
#include "splats/deformation.h"
#include "support/moving_training.h"
#include "support/splat_trainer_steps.h"

namespace mote {
namespace {

TEST(MovingTraining, LearnsWhatASceneThatStandsStillCannotShow) {
  MovingData data;
  make_data(data);
  MovingRun moving(data, moving_options(1800), 2);
  const std::uint64_t count = moving.trainer.learner().count();
  EXPECT_EQ(count, 400u);
  moving.steps(1800);
  EXPECT_EQ(moving.trainer.learner().count(), count);
  const SplatCloud cloud = moving.cloud();
  EXPECT_EQ(cloud.motion(), SplatMotion::life);
  EXPECT_DOUBLE_EQ(cloud.times.duration_s, kMovingLast_s);
  EXPECT_DOUBLE_EQ(cloud.times.frames_per_second, 10);

  TrainOptions options = moving_options(1800);
  options.motion = "still";
  MovingRun still(data, options, 2);
  still.steps(1800);
  EXPECT_EQ(still.cloud().motion(), SplatMotion::still);
  const double moving_db = moving.psnr_db(), still_db = still.psnr_db();
  RecordProperty("moving_db", std::to_string(moving_db));
  RecordProperty("still_db", std::to_string(still_db));
  EXPECT_GT(moving_db, still_db + 2);
  EXPECT_GT(moving_db, 23);
}

TEST(MovingTraining, ContinuesAfterResumingAsIfUninterruptedOnAnyNumberOfThreads) {
  MovingData data;
  make_data(data);
  // Resumes before the order by error begins, between a step and the change after it, and within
  // the order by error.
  for (const int first : {77, 200, 300}) {
    TrainOptions options = moving_options(330);
    options.camera_clock = true;
    options.densify.every = 20;  // many births
    MovingRun whole(data, options, 1), before(data, options, 2),
        after(data, as_resumed(options), 3);
    whole.steps(330);
    before.steps(first);
    hand_over(before.trainer, after.trainer);
    after.steps(330 - first);
    EXPECT_TRUE(equal(whole.cloud(), after.cloud())) << first;
    EXPECT_EQ(whole.trainer.exposure_of(3), after.trainer.exposure_of(3));
    EXPECT_NE(whole.trainer.view_of(3).time_s, data.dataset.photographs[3].time_s);
    EXPECT_EQ(whole.trainer.view_of(3).time_s, after.trainer.view_of(3).time_s);
  }
}

TEST(MovingTraining, PathsAreTrainedAsLivesAre) {
  MovingData data;
  make_data(data);
  TrainOptions options = moving_options(900);
  options.motion = "poly";
  MovingRun whole(data, options, 1), before(data, options, 2), after(data, as_resumed(options), 2);
  whole.steps(330);
  before.steps(150);
  hand_over(before.trainer, after.trainer);
  after.steps(180);
  EXPECT_TRUE(equal(whole.cloud(), after.cloud()));
  after.steps(570);
  const SplatCloud cloud = after.cloud();
  EXPECT_EQ(cloud.motion(), SplatMotion::poly);
  double curves = 0, turns = 0;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    curves += std::abs(static_cast<double>(cloud.at(i, Field::quadratic_x)));
    turns += std::abs(static_cast<double>(cloud.at(i, Field::spin_z)));
  }
  EXPECT_GT(curves, 0);
  EXPECT_GT(turns, 0);
  MovingRun lives(data, moving_options(900), 2);
  lives.steps(900);
  const double poly_db = after.psnr_db(), life_db = lives.psnr_db();
  RecordProperty("poly_db", std::to_string(poly_db));
  RecordProperty("life_db", std::to_string(life_db));
  // Curves and spins learn at published rates, which do not fall with the length of a life.
  EXPECT_GT(poly_db, life_db - 2);
}

TEST(MovingTraining, AFieldMovesSplatsThatAreTrainedToStandStill) {
  MovingData data;
  make_data(data);
  TrainOptions options = moving_options(900);
  options.motion = "field";
  options.deformation.resolution = 16;
  options.deformation.moments = 9;
  // Resumes before and after the field is active, between two changes of the set.
  for (const int first : {60, 230}) {
    MovingRun whole(data, options, 1), before(data, options, 2),
        after(data, as_resumed(options), 3);
    whole.steps(330);
    before.steps(first);
    hand_over(before.trainer, after.trainer);
    after.steps(330 - first);
    const SplatCloud expected = whole.cloud(), found = after.cloud();
    EXPECT_TRUE(equal(expected, found)) << first;
    EXPECT_EQ(expected.deformation->parameters, found.deformation->parameters) << first;
  }
  MovingRun run(data, options, 2);
  run.steps(900);
  const SplatCloud cloud = run.cloud();
  EXPECT_EQ(cloud.motion(), SplatMotion::still);
  ASSERT_NE(cloud.deformation, nullptr);
  EXPECT_DOUBLE_EQ(cloud.times.duration_s, kMovingLast_s);
  TrainOptions still_options = moving_options(900);
  still_options.motion = "still";
  MovingRun still(data, still_options, 2);
  still.steps(900);
  const double field_db = run.psnr_db(), still_db = still.psnr_db();
  RecordProperty("field_db", std::to_string(field_db));
  RecordProperty("still_db", std::to_string(still_db));
  EXPECT_GT(field_db, still_db + 1.5);
}

TEST(MovingTraining, AFieldNeedsPhotographsOfDifferentTimes) {
  MovingData data;
  make_data(data);
  for (Photograph& photograph : data.dataset.photographs) photograph.time_s = 0;
  TrainOptions options = moving_options(100);
  options.motion = "field";
  EXPECT_THROW(MovingRun(data, options, 2), UsageError);
  options.kind = "surfel";
  EXPECT_THROW(options.check(), UsageError);
  options.kind = "gaussian";
  options.strategy = "relocation";
  EXPECT_THROW(options.check(), UsageError);
}

/// Points of the ball that moves at each time, and of the floor.
void add_points(MovingData& data) {
  PointCloud& points = data.dataset.points;
  Random random(5, 6);
  const auto add = [&](const glm::dvec3& place, const std::array<std::uint8_t, 3>& color,
                       double time_s) {
    points.positions.push_back(place);
    points.colors.push_back(color);
    points.times_s.push_back(time_s);
  };
  for (int time = 0; time < kMovingTimes; ++time) {
    const double time_s = kMovingLast_s * time / (kMovingTimes - 1);
    for (int i = 0; i < 12; ++i) {
      const glm::dvec3 around(random.normal(), random.normal(), random.normal());
      add(glm::dvec3(time_s - 0.7, 0.6 * time_s - 0.72, 0) + 0.2 * around, {230, 55, 55}, time_s);
      add({random.uniform(-0.8, 0.8), 0.6, random.uniform(-1.2, 0.4)}, {150, 150, 150}, time_s);
    }
  }
}

/// Points of the floor alone: neither of the balls.
void add_floor(MovingData& data) {
  PointCloud& points = data.dataset.points;
  Random random(5, 6);
  for (int time = 0; time < kMovingTimes; time += 3) {
    for (int i = 0; i < 40; ++i) {
      points.positions.emplace_back(random.uniform(-0.8, 0.8), 0.6, random.uniform(-1.2, 0.4));
      points.colors.push_back({150, 150, 150});
      points.times_s.push_back(kMovingLast_s * time / (kMovingTimes - 1));
    }
  }
}

TEST(MovingTraining, SplatsAreBornWhereNoPointsAre) {
  MovingData data;
  make_data(data);
  add_floor(data);
  constexpr int kSteps = 400;
  double db[2] = {};
  for (const bool with_births : {false, true}) {
    TrainOptions options = moving_options(kSteps);
    options.init = "points";
    options.densify.every = 20;
    options.densify.birth_share = with_births ? 0.3 : 0;
    MovingRun run(data, options, 2);
    const std::uint64_t count = run.trainer.learner().count();
    run.steps(kSteps);
    EXPECT_EQ(run.trainer.learner().count(), count);
    db[with_births ? 1 : 0] = run.psnr_db();
  }
  RecordProperty("db", std::to_string(db[0]));
  RecordProperty("births_db", std::to_string(db[1]));
  EXPECT_GT(db[1], db[0] + 2);
}

TEST(MovingTraining, ClocksOfCamerasAreLearned) {
  constexpr double kLate_s = 0.03;  // a third of the time between frames
  MovingData data;
  make_data(data);
  add_points(data);
  for (Photograph& photograph : data.dataset.photographs) {
    if (photograph.camera_group == 0) photograph.time_s += kLate_s;
  }
  TrainOptions options = moving_options(900);
  options.init = "points";
  options.camera_clock = true;
  MovingRun run(data, options, 2);
  run.steps(80);
  EXPECT_EQ(run.trainer.clock_offsets()[0].offset_s, 0) << "before a tenth of the run";
  run.steps(820);
  const std::vector<ClockOffset> clocks = run.trainer.clock_offsets();
  ASSERT_EQ(clocks.size(), 4u) << "the camera for testing has none";
  double sum = 0;
  for (const ClockOffset& clock : clocks) sum += clock.offset_s;
  EXPECT_NEAR(sum, 0, 1e-12);
  for (std::size_t i = 1; i < clocks.size(); ++i) {
    EXPECT_NEAR(clocks[0].offset_s - clocks[i].offset_s, -kLate_s, 0.4 * kLate_s) << i;
  }
  EXPECT_EQ(run.trainer.view_of(0).time_s, data.dataset.photographs[0].time_s + clocks[0].offset_s);
  const std::uint32_t test = data.dataset.test[0];
  EXPECT_EQ(run.trainer.view_of(test).time_s, data.dataset.photographs[test].time_s);
  data.dataset.camera_groups.resize(1);
  EXPECT_THROW(MovingRun(data, options, 2), Error) << "one camera has no other to compare with";
}

TEST(MovingTraining, CamerasOfDifferentRatesHaveEqualNumbersOfSteps) {
  MovingData data;
  make_data(data);
  Dataset& dataset = data.dataset;
  std::erase_if(dataset.train, [&](std::uint32_t index) {  // a quarter of the rate
    return dataset.photographs[index].camera_group == 0 && index % 4 != 0;
  });
  ASSERT_EQ(dataset.train.size(), 52u);
  const auto steps_by_camera = [&] {
    MovingRun run(data, moving_options(52), 1);
    std::vector<int> steps(kMovingCameras, 0);
    for (int i = 0; i < 52; ++i) {
      ++steps[dataset.photographs[run.trainer.step().photograph].camera_group];
    }
    return steps;
  };
  const std::vector<int> steps = steps_by_camera();
  for (const int camera : {0, 1, 3, 4}) EXPECT_NEAR(steps[camera], 13, 1) << camera;
  dataset.camera_groups.clear();
  EXPECT_EQ(steps_by_camera()[0], 4) << "without names of cameras, photographs are equal";
}

TEST(MovingTraining, ColoursOfCamerasAreLearnedFromATenthOfTheRunOn) {
  MovingData data;
  make_data(data);
  for (const std::uint32_t index : data.dataset.train) {
    if (data.dataset.photographs[index].camera_group != 0) continue;
    for (std::uint8_t& value : data.photos.photos[index]->color.pixels.span()) {
      value = static_cast<std::uint8_t>(value * 7 / 10);
    }
  }
  MovingRun run(data, moving_options(400), 2);
  run.steps(40);
  EXPECT_EQ(run.trainer.exposure_of(0), kNeutralExposure);
  run.steps(360);
  const Exposure dark = run.trainer.exposure_of(0), other = run.trainer.exposure_of(kMovingTimes);
  EXPECT_EQ(dark, run.trainer.exposure_of(3)) << "photographs of one camera share it";
  EXPECT_LT(dark[0] + dark[3], other[0] + other[3]);
  EXPECT_EQ(run.trainer.exposure_of(data.dataset.test[0]), kNeutralExposure);
  TrainOptions off = moving_options(400);
  off.camera_color = "off";
  MovingRun plain(data, off, 2);
  plain.steps(60);
  EXPECT_EQ(plain.trainer.exposure_of(0), kNeutralExposure);
}

}  // namespace
}  // namespace mote
