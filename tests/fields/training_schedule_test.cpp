// Numbers of rays of a NeRF's steps: they follow from the batch, and find space for their samples.
#include "fields/training_schedule.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mote {
namespace {

constexpr std::uint64_t kLeastBatch = 1024, kUsualBatch = std::uint64_t{1} << 17;

TEST(TrainingSchedule, UsualBatchesBeginWith2048RaysAndKeep256) {
  for (const std::uint64_t batch : {kUsualBatch, 2 * kUsualBatch, 8 * kUsualBatch}) {
    TrainingSchedule schedule(batch);
    EXPECT_EQ(schedule.rays, 2048u);
    schedule.adapt(schedule.rays * kMostRaySamples * 100, batch, 2);
    EXPECT_EQ(schedule.rays, 256u);
  }
}

TEST(TrainingSchedule, RaysOfSmallerBatchesFollowFromTheBatch) {
  EXPECT_EQ(TrainingSchedule(kUsualBatch / 2).rays, 512u);
  EXPECT_EQ(TrainingSchedule(kUsualBatch / 32).rays, 32u);
  EXPECT_EQ(TrainingSchedule(kLeastBatch).rays, 8u);
  EXPECT_EQ(TrainingSchedule(1).rays, 1u);
}

TEST(TrainingSchedule, RaysOfAFirstStepHaveFewerSamplesThanTheirSpace) {
  constexpr float kCoarse = TrainingSchedule::kMostCoarseness;
  for (int side = 1; side <= 128; side *= 2) {
    const StepScale scale(kCoarse * usual_cone(side), kCoarse * kSmallestStep);
    const float to_corner = 0.5f * std::sqrt(3.0f) * static_cast<float>(side);
    EXPECT_LT(static_cast<double>(scale.steps_of(to_corner)),
              static_cast<double>(TrainingSchedule::kMostCoarseSamples))
        << side;
  }
}

TEST(TrainingSchedule, RaysThatFoundNoSpaceBecomeFewerUntilAllOfThemDo) {
  for (std::uint64_t batch = kLeastBatch; batch < 4 * kUsualBatch; batch *= 2) {
    SCOPED_TRACE(batch);
    const std::uint64_t space = kTrainingSpace * batch;
    TrainingSchedule schedule(batch);
    int steps = 0;
    while (schedule.rays * kMostRaySamples > space) {
      ASSERT_LT(++steps, 10);
      schedule.adapt(space, batch, 2);  // at least as many samples as there is space for
    }
    EXPECT_GE(schedule.rays, 1u);
  }
}

TEST(TrainingSchedule, SamplesThatProposalsChooseHaveSpaceInAnyBatch) {
  for (std::uint64_t batch = kLeastBatch; batch < 4 * kUsualBatch; batch *= 2) {
    for (const std::uint64_t samples : {4u, 32u, 48u, 1024u}) {
      SCOPED_TRACE(testing::Message() << batch << " of " << samples);
      const std::uint64_t rays = proposed_rays(batch, samples);
      EXPECT_GE(rays, 1u);
      EXPECT_LE(rays * samples, kTrainingSpace * batch);
    }
  }
  EXPECT_EQ(proposed_rays(kUsualBatch, 32), kUsualBatch / 32);
  EXPECT_EQ(proposed_rays(kUsualBatch, 1024), 256u);
}

}  // namespace
}  // namespace mote
