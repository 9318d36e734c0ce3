// Schedules of a run that do not depend on the model.
#include "train/run/photo_schedule.h"

#include <gtest/gtest.h>

namespace mote {
namespace {

RunPosition at(std::uint64_t steps_done, std::uint64_t steps_total) {
  return {.steps_done = steps_done,
          .steps_total = steps_total,
          .fraction = static_cast<double>(steps_done) / static_cast<double>(steps_total)};
}

TEST(LogLinear, IsGeometricAndLinearIfOneEndIsZero) {
  EXPECT_DOUBLE_EQ(log_linear(1, 100, 0.5), 10);
  EXPECT_DOUBLE_EQ(log_linear(1, 0, 0.25), 0.75);
  EXPECT_DOUBLE_EQ(log_linear(1, 100, 2), 100);
}

TEST(ResolutionLevels, TakeEqualShares) {
  LoopOptions options;
  options.resolution_schedule = 2;
  options.resolution_until = 0.4;
  EXPECT_EQ(resolution_level_at(options, at(0, 1000)), 2);
  EXPECT_EQ(resolution_level_at(options, at(199, 1000)), 2);
  EXPECT_EQ(resolution_level_at(options, at(201, 1000)), 1);
  EXPECT_EQ(resolution_level_at(options, at(399, 1000)), 1);
  EXPECT_EQ(resolution_level_at(options, at(400, 1000)), 0);
  options.resolution_schedule = 0;
  EXPECT_EQ(resolution_level_at(options, at(0, 1000)), 0);
  options.resolution_schedule = 2;
  options.resolution_until = 0;
  EXPECT_EQ(resolution_level_at(options, at(0, 1000)), 0);
}

}  // namespace
}  // namespace mote
