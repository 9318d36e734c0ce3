// Complete trainings of a tiny moving scene on the CPU: a bright ball that crosses the picture
// while a second one appears, seen by five cameras at sixteen times.
#include <gtest/gtest.h>

#include <cmath>
#include <glm/geometric.hpp>
#include <memory>
#include <vector>

#include "devices/devices.h"
#include "splats/motions/life.h"
#include "support/fake_training.h"
#include "support/random_cloud.h"
#include "support/splat_trainer_steps.h"
#include "train/run/memory_photos.h"
#include "train/run/trainer.h"
#include "train/splats/initial_motion.h"
#include "train/splats/splat_learner.h"
#include "train/splats/splat_model.h"

namespace mote {
namespace {

constexpr int kCameras = 5, kTimes = 16;
constexpr double kLast_s = 1.4;

/// The scene at all times: one splat that moves, one that appears, and a static floor of splats.
SplatCloud true_scene() {
  SplatCloud cloud = random_moving_cloud(26, 0, 3);
  cloud.times = {.duration_s = kLast_s, .frames_per_second = 10};
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    for (const Field field : cloud.info().stored()) cloud.at(i, field) = 0;
    cloud.at(i, Field::rotation_w) = 1;
    cloud.at(i, Field::logit_opacity) = 4;
    cloud.at(i, Field::log_time_plateau) = i == 1 ? -1.2f : kStaticLogPlateau - 1;
    cloud.at(i, Field::log_time_sigma) = -2;
    cloud.at(i, Field::time_mean) = i == 1 ? 1.1f : 0.7f;
    const bool is_ball = i < 2;
    for (const Field field : {Field::log_scale_x, Field::log_scale_y, Field::log_scale_z}) {
      cloud.at(i, field) = is_ball ? -1.2f : -1.6f;
    }
    cloud.at(i, Field::mean_y) = is_ball ? -0.3f : 0.6f;
    cloud.at(i, Field::mean_x) =
        is_ball ? 0.7f * static_cast<float>(i) : 0.4f * static_cast<float>(i % 5) - 0.8f;
    cloud.at(i, Field::mean_z) = is_ball ? 0.0f : 0.4f * static_cast<float>(i / 5) - 1.2f;
    if (i == 0) cloud.at(i, Field::velocity_x) = 1;
    for (int c = 0; c < 3; ++c) {
      cloud.sh(i, 0, c) = is_ball
                              ? (c == static_cast<int>(i) ? 1.5f : -1.0f)
                              : 0.3f * static_cast<float>((i + static_cast<std::size_t>(c)) % 3);
    }
  }
  return cloud;
}

struct MovingData {
  Dataset dataset;
  MemoryPhotos photos;
};

/// The last camera is for testing.
void make_data(MovingData& data) {
  const auto backend = make_backend("cpu", {.threads = 1, .isa = {}, .index = 0});
  const auto scene = backend->upload(true_scene());
  Dataset& dataset = data.dataset;
  dataset.source = "a moving scene";
  for (int camera = 0; camera < kCameras; ++camera) {
    dataset.camera_groups.push_back({.name = std::to_string(camera)});
    const double turn = 0.35 * camera - 0.8;
    for (int time = 0; time < kTimes; ++time) {
      Photograph photograph;
      photograph.name = std::to_string(camera) + "_" + std::to_string(time);
      photograph.camera = training_camera({3 * std::sin(turn), -0.8, -3 * std::cos(turn)});
      photograph.camera.width = 75;
      photograph.camera.height = 55;
      photograph.camera.focal_px /= 2.0;
      photograph.camera.center_px /= 2.0;
      photograph.time_s = kLast_s * time / (kTimes - 1);
      photograph.camera_group = static_cast<std::uint32_t>(camera);
      const auto number = static_cast<std::uint32_t>(dataset.photographs.size());
      (camera == 2 ? dataset.test : dataset.train).push_back(number);
      const SceneInstance instance{.scene = scene.get(), .time_s = photograph.time_s};
      Frame frame;
      backend->render_scenes({&instance, 1}, photograph.camera, {}, frame);
      auto photo = std::make_shared<PhotoPixels>();
      photo->color.resize_discard(75, 55, 3);
      for (std::size_t i = 0; i < photo->color.pixels.size(); ++i) {
        const float value = std::clamp(frame.rgb.pixels[i], 0.0f, 1.0f);
        photo->color.pixels[i] = static_cast<std::uint8_t>(std::lround(255 * value));
      }
      data.photos.photos.push_back(std::move(photo));
      dataset.photographs.push_back(std::move(photograph));
    }
  }
  dataset.time = {.first_s = 0, .last_s = kLast_s, .frames_per_second = 10};
}

TrainOptions moving_options(int steps) {
  TrainOptions options;
  options.steps = steps;
  options.init = "random";
  options.init_count = 400;
  options.sh_degree = 0;
  return options;
}

struct MovingRun {
  MovingRun(MovingData& data, const TrainOptions& options, int threads)
      : data(data),
        backend(make_backend("cpu", {.threads = threads, .isa = {}, .index = 0})),
        trainer(*backend, data.dataset, data.photos, options, SplatPlan(options), 1) {}

  void steps(int count) {
    for (int i = 0; i < count; ++i) trainer.step();
  }
  /// Mean over the test photographs.
  double psnr_db() {
    double sum = 0;
    for (const std::uint32_t index : data.dataset.test) {
      Frame frame;
      trainer.render_photograph(index, frame);
      const auto& truth = data.photos.photos[index]->color.pixels;
      double squares = 0;
      for (std::size_t i = 0; i < truth.size(); ++i) {
        const double off = static_cast<double>(frame.rgb.pixels[i]) - truth[i] / 255.0;
        squares += off * off;
      }
      sum += -10 * std::log10(squares / static_cast<double>(truth.size()));
    }
    return sum / static_cast<double>(data.dataset.test.size());
  }
  SplatCloud cloud() const {
    const auto copy = trainer.learner().copy();
    return copy->take_splats();
  }

  MovingData& data;
  std::unique_ptr<Backend> backend;
  Trainer trainer;
};

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
  EXPECT_DOUBLE_EQ(cloud.times.duration_s, kLast_s);
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
    MovingRun whole(data, options, 1), before(data, options, 2), after(data, options, 3);
    whole.steps(330);
    before.steps(first);
    MemoryBytes state;
    before.trainer.save(state);
    after.trainer.restore(state);
    EXPECT_EQ(state.left(), 0u);
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
  MovingRun whole(data, options, 1), before(data, options, 2), after(data, options, 2);
  whole.steps(330);
  before.steps(150);
  MemoryBytes state;
  before.trainer.save(state);
  after.trainer.restore(state);
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
  EXPECT_GT(poly_db, life_db - 1);
}

TEST(MovingTraining, ClocksOfCamerasAreLearned) {
  constexpr double kLate_s = 0.03;  // a third of the time between frames
  MovingData data;
  make_data(data);
  for (Photograph& photograph : data.dataset.photographs) {
    if (photograph.camera_group == 0) photograph.time_s += kLate_s;
  }
  TrainOptions options = moving_options(900);
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
  const Exposure dark = run.trainer.exposure_of(0), other = run.trainer.exposure_of(kTimes);
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
