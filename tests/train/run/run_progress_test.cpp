// The status line of a training run.
#include "train/run/run_progress.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mote {
namespace {

TEST(RunNote, ContainsStepSpeedTimeLeftLossTestPsnrAndSplats) {
  EXPECT_EQ(run_note({.step = 2000,
                      .steps_total = 7000,
                      .count = 43120,
                      .counted = "splats",
                      .step_s = 0.03,
                      .loss = 0.0312,
                      .test_psnr_db = 25.44}),
            "step 2000/7000, 33.3 steps/s, 2 min 30 s left, loss 0.0312, test 25.4 dB, 43.1 k "
            "splats");
}

TEST(RunNote, LeavesOutUnknownValuesAndMayExceedItsTotal) {
  EXPECT_EQ(run_note({.step = 0, .steps_total = 10, .count = 5, .counted = "splats"}),
            "step 0/10, 5 splats");
  EXPECT_EQ(run_note({.step = 12,
                      .steps_total = 10,
                      .count = 5,
                      .counted = "splats",
                      .step_s = 1,
                      .loss = 0.5}),
            "step 12/10, 1 steps/s, 0 s left, loss 0.5000, 5 splats");
}

TEST(RecentMean, IsThatOfTheFirstValuesAndThenMostlyOfTheLastFifty) {
  RecentMean mean;
  EXPECT_TRUE(std::isnan(mean.value()));
  mean.add(3);
  EXPECT_DOUBLE_EQ(mean.value(), 3);
  mean.add(5);
  EXPECT_DOUBLE_EQ(mean.value(), 4);
  for (int i = 0; i < 500; ++i) mean.add(10);
  EXPECT_NEAR(mean.value(), 10, 0.01);
}

TEST(RunNote, ALineWithoutAUnitHasNoRate) {
  EXPECT_EQ(progress_line("training", 0.5, 1, "", 10, 0), "training   50 %");
}

}  // namespace
}  // namespace mote
