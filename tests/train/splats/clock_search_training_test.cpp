// Trainings on the CPU in which the clocks of two of four cameras are off by whole frames.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/interrupt.h"
#include "core/log.h"
#include "io/splats/scene_format.h"
#include "support/files/format_samples.h"
#include "support/moving_training.h"
#include "support/splat_trainer_steps.h"
#include "train/run/run_clock_search.h"
#include "train/splats/pages/page_pool.h"

namespace mote {
namespace {

constexpr double kFrame_s = kMovingLast_s / (kMovingTimes - 1);
constexpr int kSteps = 200;  // with searches before the steps 21 and 41

/// Trainings that begin with the true splats: wrong clocks have little time to blur them.
class ClockSearchTraining : public ::testing::Test {
 protected:
  ClockSearchTraining() {
    make_data(data_);
    for (CameraGroup& camera : data_.dataset.camera_groups) {
      camera.frames_per_second = 1 / kFrame_s;
    }
    save_scene(moving_scene(), scene_.path());
  }

  /// Sets the times of a camera's photographs too late.
  void set_late(std::uint32_t camera, int frames) {
    for (Photograph& photograph : data_.dataset.photographs) {
      if (photograph.camera_group == camera) photograph.time_s += frames * kFrame_s;
    }
  }
  void make_clocks_wrong() {
    set_late(0, 3);
    set_late(4, -2);
  }

  /// Gradients alone move a clock by less than half a frame in such a run.
  TrainOptions options(int search) const {
    TrainOptions options = moving_options(kSteps);
    options.init = scene_.path().string();
    options.camera_clock = true;
    options.clock_search = search;
    options.correction_rates.clock = 2e-6;
    return options;
  }

  MovingData data_;
  samples::TemporaryFile scene_{".ply"};
};

/// The offsets of the training cameras, 0, 1, 3 and 4, in frames.
std::vector<double> offsets_of(const MovingRun& run) {
  std::vector<double> frames;
  for (const ClockOffset& clock : run.trainer.clock_offsets()) {
    frames.push_back(clock.offset_s / kFrame_s);
  }
  return frames;
}

TEST_F(ClockSearchTraining, OffsetsOfFramesAreFound) {
  make_clocks_wrong();
  MovingRun run(data_, options(4), 2);
  run.steps(20);
  EXPECT_EQ(offsets_of(run), std::vector<double>(4, 0)) << "before a tenth of the run";
  run.steps(1);
  const std::vector<double> found = offsets_of(run), expected{-3, 0, 0, 2};
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], 0.02) << i;
  run.steps(kSteps - 21);
  const std::vector<double> last = offsets_of(run);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(last[i], expected[i], 0.4) << i;
  EXPECT_NE(last, found) << "gradients go on from there";
  EXPECT_EQ(run.trainer.view_of(data_.dataset.test[0]).time_s,
            data_.dataset.photographs[data_.dataset.test[0]].time_s);
}

TEST_F(ClockSearchTraining, WithoutItOffsetsOfFramesAreNotFound) {
  make_clocks_wrong();
  MovingRun run(data_, options(0), 2);
  run.steps(kSteps);
  for (const double frames : offsets_of(run)) EXPECT_LT(std::abs(frames), 0.5);
}

TEST_F(ClockSearchTraining, ChangesNothingWhereAllClocksAreRight) {
  MovingRun with(data_, options(4), 2), without(data_, options(0), 2);
  with.steps(50);
  without.steps(50);
  EXPECT_EQ(offsets_of(with), offsets_of(without));
  EXPECT_TRUE(equal(with.cloud(), without.cloud()));
}

TEST_F(ClockSearchTraining, ContinuesAfterResumingAsIfUninterruptedOnAnyNumberOfThreads) {
  make_clocks_wrong();
  MovingRun whole(data_, options(4), 1);
  whole.steps(50);
  // Before the first search, at it, between both, and at the second one.
  for (const int first : {15, 20, 30, 40}) {
    MovingRun before(data_, options(4), 2), after(data_, options(4), 3);
    before.steps(first);
    EXPECT_EQ(before.trainer.clock_search_is_due(), first == 20 || first == 40) << first;
    hand_over(before.trainer, after.trainer);
    EXPECT_EQ(after.trainer.clock_search_is_due(), first == 20 || first == 40) << first;
    after.steps(50 - first);
    EXPECT_EQ(offsets_of(after), offsets_of(whole)) << first;
    EXPECT_TRUE(equal(after.cloud(), whole.cloud())) << first;
  }
}

TEST_F(ClockSearchTraining, AStateAfterTheSearchAndBeforeItsStepIsNotSearchedAgain) {
  make_clocks_wrong();
  MovingRun whole(data_, options(4), 2), before(data_, options(4), 2), after(data_, options(4), 2);
  whole.steps(25);
  before.steps(20);
  before.trainer.search_clocks();
  EXPECT_FALSE(before.trainer.clock_search_is_due());
  hand_over(before.trainer, after.trainer);
  EXPECT_FALSE(after.trainer.clock_search_is_due());
  after.steps(5);
  EXPECT_EQ(offsets_of(after), offsets_of(whole));
  EXPECT_TRUE(equal(after.cloud(), whole.cloud()));
}

TEST_F(ClockSearchTraining, ALongerRunIsSearchedLaterAndAShorterOneOnceForBoth) {
  make_clocks_wrong();
  MovingRun before(data_, options(4), 2);
  before.steps(25);
  TrainOptions other = options(4);
  other.steps = 2 * kSteps;
  MovingRun longer(data_, other, 2);
  hand_over(before.trainer, longer.trainer);
  longer.steps(54);
  EXPECT_FALSE(longer.trainer.clock_search_is_due()) << "after step 79 of 400";
  longer.steps(1);
  EXPECT_TRUE(longer.trainer.clock_search_is_due());
  other.steps = kSteps / 2;
  MovingRun shorter(data_, other, 2), fresh(data_, options(4), 2);
  fresh.steps(20);
  hand_over(fresh.trainer, shorter.trainer);
  shorter.steps(1);
  EXPECT_NEAR(offsets_of(shorter)[0], -3, 0.02);
  EXPECT_FALSE(shorter.trainer.clock_search_is_due()) << "after step 21 of 100";
}

TEST_F(ClockSearchTraining, AnInterruptedSearchChangesNothing) {
  make_clocks_wrong();
  MovingRun whole(data_, options(4), 1), before(data_, options(4), 2), after(data_, options(4), 3);
  whole.steps(25);
  before.steps(20);
  int pictures = 0;
  const auto stop = [&] {
    if (++pictures == 100) throw Interrupted();
  };
  EXPECT_THROW(search_clocks(before.trainer, data_.dataset, ProgressMode::none, stop), Interrupted);
  EXPECT_EQ(pictures, 100);
  EXPECT_TRUE(before.trainer.is_whole());
  EXPECT_TRUE(before.trainer.clock_search_is_due());
  EXPECT_EQ(offsets_of(before), std::vector<double>(4, 0));
  hand_over(before.trainer, after.trainer);
  after.steps(5);
  EXPECT_EQ(offsets_of(after), offsets_of(whole));
  EXPECT_TRUE(equal(after.cloud(), whole.cloud()));
}

TEST_F(ClockSearchTraining, TheLogNamesCamerasAndFrames) {
  make_clocks_wrong();
  MovingRun run(data_, options(4), 2);
  std::vector<std::string> lines;
  const LogTap tap([&](LogLevel, std::string_view text) { lines.emplace_back(text); });
  int pictures = 0;
  const auto look_up = [&] { ++pictures; };
  const auto search = [&] {
    search_clocks(run.trainer, data_.dataset, ProgressMode::none, look_up);
  };
  run.steps(20);
  lines.clear();
  search();
  EXPECT_EQ(lines,
            std::vector<std::string>{"step 20: clocks of cameras: 0: -3 frames, 4: +2 frames"});
  EXPECT_EQ(pictures, 4 * 8 * 9) << "four cameras, eight photographs, -4 to 4 frames";
  search();
  EXPECT_EQ(lines.size(), 1u) << "it is not due";
  run.steps(20);
  search();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1], "step 40: clocks of cameras: none is clearly off by a frame or more");
}

TEST_F(ClockSearchTraining, TheLogWarnsOfTheEndOfTheRangeAndOfCamerasThatAreLeftOut) {
  set_late(0, 3);
  Dataset& dataset = data_.dataset;
  std::erase_if(dataset.train, [&](std::uint32_t i) {
    return dataset.photographs[i].camera_group == 4 && i % 4 != 0;
  });
  MovingRun run(data_, options(3), 2);
  run.steps(20);
  std::vector<std::string> lines;
  const LogTap tap([&](LogLevel, std::string_view text) { lines.emplace_back(text); });
  search_clocks(run.trainer, dataset, ProgressMode::none, [] {});
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0], "step 20: clocks of cameras: 0: -3 frames");
  EXPECT_NE(lines[1].find("camera 0"), std::string::npos) << lines[1];
  EXPECT_NE(lines[1].find("raise --clock-search"), std::string::npos) << lines[1];
  EXPECT_NE(lines[2].find("1 clock of cameras is not searched, such as that of 4: only "),
            std::string::npos)
      << lines[2];
}

/// The true splats, and a crowd of splats with short lives that no camera sees.
SplatCloud crowded_scene() {
  constexpr std::size_t kSplats = 6144;
  const SplatCloud scene = moving_scene();
  SplatCloud crowd(kSplats, scene);
  crowd.times = scene.times;
  for (std::size_t i = 0; i < kSplats; ++i) {
    for (const Field field : crowd.info().stored()) {
      crowd.at(i, field) = i < scene.count() ? scene.at(i, field) : 0;
    }
    for (int c = 0; c < 3; ++c) crowd.sh(i, 0, c) = i < scene.count() ? scene.sh(i, 0, c) : 0;
    if (i < scene.count()) continue;
    crowd.at(i, Field::rotation_w) = 1;
    crowd.at(i, Field::mean_z) = -50;
    for (const Field field : {Field::log_scale_x, Field::log_scale_y, Field::log_scale_z,
                              Field::log_time_sigma, Field::log_time_plateau}) {
      crowd.at(i, field) = -4;
    }
    crowd.at(i, Field::time_mean) =
        static_cast<float>(kMovingLast_s) * static_cast<float>(i) / static_cast<float>(kSplats);
  }
  return crowd;
}

TEST_F(ClockSearchTraining, WorksWithAPartOfTheSplatsInMemory) {
  make_clocks_wrong();
  save_scene(crowded_scene(), scene_.path());
  TrainOptions paged = options(4);
  paged.motion = "life";
  paged.strategy = "relocation";
  paged.splat_memory_gb = 1e-9 * static_cast<double>(4100 * bytes_in_training(splat_form(paged)));
  MovingRun whole(data_, paged, 1), before(data_, paged, 2), after(data_, paged, 3);
  const std::vector<std::string>& notes = whole.trainer.learner().initial_remarks().notes;
  EXPECT_TRUE(std::ranges::any_of(notes, [](const std::string& note) {
    return note.starts_with("4096 of 6144 splats fit into memory");
  }));
  whole.steps(25);
  const std::vector<double> found = offsets_of(whole), expected{-3, 0, 0, 2};
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], 0.02) << i;
  before.steps(20);
  EXPECT_TRUE(before.trainer.clock_search_is_due());
  hand_over(before.trainer, after.trainer);
  after.steps(5);
  EXPECT_EQ(offsets_of(after), found);
  EXPECT_TRUE(values_of(after.cloud()) == values_of(whole.cloud()));
}

TEST_F(ClockSearchTraining, SplatsThatStandStillAreNotSearched) {
  make_clocks_wrong();
  TrainOptions still = options(4);
  still.motion = "still";
  still.init = "random";
  MovingRun run(data_, still, 2);
  run.steps(21);
  EXPECT_EQ(offsets_of(run), std::vector<double>(4, 0));
}

}  // namespace
}  // namespace mote
