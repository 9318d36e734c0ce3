// Schedules of a run that do not depend on the model.
#include "train/run/photo_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "train/run/frame_errors.h"

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

TEST(PhotographOrder, WeightsSetTheNumberOfStepsOfAPhotograph) {
  std::vector<std::uint32_t> photographs(100);
  for (std::uint32_t i = 0; i < 100; ++i) photographs[i] = i;
  PhotographOrder order(photographs, 3);
  std::vector<float> weights(100, 1.0f);
  weights[7] = 4;
  weights[8] = 0.25f;
  order.set_weights(2, weights);
  const auto count = [&](std::uint64_t epoch, std::uint32_t photograph) {
    const auto drawn = order.from(epoch * 100 + 1, 100);
    return std::ranges::count(drawn, photograph);
  };
  EXPECT_EQ(count(1, 7), 1);
  EXPECT_GE(count(2, 7), 3);
  EXPECT_LE(count(2, 7), 5);
  EXPECT_LE(count(2, 8), 1);
  EXPECT_EQ(count(3, 7), 1) << "weights are of one epoch";
}

TEST(PhotographOrder, SharesHoldInAllEpochsAndWithWeights) {
  std::vector<std::uint32_t> photographs(100);
  for (std::uint32_t i = 0; i < 100; ++i) photographs[i] = i;
  std::vector<float> shares(100, 0.75f);
  std::fill_n(shares.begin(), 25, 1.75f);
  PhotographOrder order(photographs, 3);
  order.set_shares(shares);
  const auto first_quarter = [&](std::uint64_t epoch) {
    const auto drawn = order.from(epoch * 100 + 1, 100);
    return static_cast<double>(
        std::ranges::count_if(drawn, [](std::uint32_t i) { return i < 25; }));
  };
  for (const std::uint64_t epoch : {0u, 1u, 6u}) EXPECT_NEAR(first_quarter(epoch), 43.75, 1);
  std::vector<float> weights(100, 1.0f);
  std::fill_n(weights.begin(), 25, 2.0f);
  order.set_weights(3, weights);  // 25 * 3.5 of 25 * 3.5 + 75 * 0.75
  EXPECT_NEAR(first_quarter(3), 60.9, 1);
  EXPECT_NEAR(first_quarter(4), 43.75, 1);
}

/// A dataset of cameras with so many training photographs.
Dataset cameras_with(const std::vector<std::size_t>& counts) {
  Dataset dataset;
  for (std::uint32_t camera = 0; camera < counts.size(); ++camera) {
    dataset.camera_groups.push_back({.name = std::to_string(camera)});
    for (std::size_t i = 0; i < counts[camera]; ++i) {
      dataset.train.push_back(static_cast<std::uint32_t>(dataset.photographs.size()));
      dataset.photographs.emplace_back().camera_group = camera;
    }
  }
  return dataset;
}

TEST(CameraShares, GiveCamerasEqualNumbersOfSteps) {
  const std::vector<float> shares = camera_shares(cameras_with({10, 0, 40}));
  ASSERT_EQ(shares.size(), 50u);
  EXPECT_EQ(shares.front(), 2.5f) << "a mean of 25 photographs, of cameras that are trained on";
  EXPECT_EQ(shares.back(), 0.625f);
  EXPECT_TRUE(camera_shares(cameras_with({20, 0, 20})).empty());
  EXPECT_TRUE(camera_shares(cameras_with({20})).empty());
  EXPECT_EQ(camera_shares(cameras_with({1, 99})).front(), kMostOfPhotograph);
  Dataset nameless = cameras_with({1, 2});
  nameless.camera_groups.clear();
  EXPECT_TRUE(camera_shares(nameless).empty());
}

TEST(PhotographOrder, WindowsAreVisitedInTurnWithEachPhotographOnce) {
  constexpr std::uint32_t kCount = 500;
  std::vector<std::uint32_t> photographs(kCount), windows(kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    photographs[i] = 3 * i;
    windows[i] = i < 240 ? 0 : 1;  // three visits of each
  }
  PhotographOrder order(photographs, 3);
  const auto plain = order.from(1, kCount);
  order.set_windows(1, windows);
  EXPECT_EQ(order.from(1, kCount), plain) << "windows are of one epoch";
  EXPECT_TRUE(order.windows(0).empty());
  auto steps = order.from(kCount + 1, kCount);
  std::vector<std::size_t> visits;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool is_first =
        i == 0 || windows[steps[i] / 3] != windows[steps[i - 1] / 3] || visits.back() == 100;
    is_first ? visits.push_back(1) : void(++visits.back());
  }
  for (const std::size_t length : visits) EXPECT_LE(length, PhotographOrder::kVisitSteps);
  EXPECT_LE(visits.size(), 8u) << "six, of which neighbours may be of one window";
  PhotographOrder same(photographs, 3);
  same.set_windows(1, windows);
  EXPECT_EQ(same.from(kCount + 1, kCount), steps);
  std::ranges::sort(steps);
  EXPECT_EQ(steps, photographs) << "each photograph has one step";
}

TEST(FrameErrors, WeightsAreErrorsRelativeToTheMeanWithinBounds) {
  FrameErrors errors(5);
  EXPECT_EQ(errors.weights(), std::vector<float>(5, 1.0f));
  errors.note(0, 0.1);
  errors.note(1, 0.1);
  errors.note(2, 0.4);
  EXPECT_EQ(errors.weights(), (std::vector<float>{0.5f, 0.5f, 2, 1, 1}));
  errors.note(2, 1e-4);
  errors.note(3, 10);
  const std::vector<float> bounded = errors.weights();
  EXPECT_EQ(bounded[2], FrameErrors::kLeast);
  EXPECT_LE(bounded[3], FrameErrors::kMost);
}

}  // namespace
}  // namespace mote
