// Complete trainings of a tiny moving scene on the CPU.
#include <gtest/gtest.h>

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
  // Resumes before the order by error begins, and within it.
  for (const int first : {77, 300}) {
    MovingRun whole(data, moving_options(330), 1), before(data, moving_options(330), 2),
        after(data, moving_options(330), 3);
    whole.steps(330);
    before.steps(first);
    MemoryBytes state;
    before.trainer.save(state);
    after.trainer.restore(state);
    EXPECT_EQ(state.left(), 0u);
    after.steps(330 - first);
    EXPECT_TRUE(equal(whole.cloud(), after.cloud())) << first;
    EXPECT_EQ(whole.trainer.exposure_of(3), after.trainer.exposure_of(3));
  }
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
