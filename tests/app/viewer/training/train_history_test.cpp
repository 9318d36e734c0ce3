#include "app/viewer/training/train_history.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/fake_training.h"

namespace mote {
namespace {

TrainReport report(std::uint64_t step, double loss, double mse, std::uint32_t photograph = 0) {
  TrainReport result;
  result.step = step;
  result.photograph = photograph;
  result.count = 10 * step;
  result.result.loss = loss;
  result.result.mse = mse;
  return result;
}

TEST(TrainHistory, StaysWithinItsBoundsForAnyLengthOfRun) {
  TrainHistory history;
  for (std::uint64_t step = 1; step <= 100000; ++step) history.add(report(step, 2, 0.01));
  EXPECT_LT(history.curve().size(), TrainHistory::kMostPoints);
  EXPECT_GE(history.curve().size(), TrainHistory::kMostPoints / 2);
  double last = 0;
  for (const CurvePoint& point : history.curve()) {
    EXPECT_GT(point.step, last);
    last = point.step;
    EXPECT_NEAR(point.loss, 2, 1e-9);
    EXPECT_NEAR(point.psnr_train_db, 20, 1e-9);
    EXPECT_EQ(point.count, 10 * point.step);
  }
  EXPECT_GT(last, 99000);
}

TEST(TrainHistory, ContinuesTheCurvesOfAnEarlierPart) {
  std::vector<MetricsRow> rows;
  for (int i = 1; i <= 30; ++i) {
    rows.push_back({.step = 100.0 * i,
                    .loss = 3,
                    .psnr_train_db = 15,
                    .psnr_test_db = i % 2 == 0 ? 14 : std::nan(""),
                    .count = 7.0 * i});
  }
  TrainHistory history;
  history.add_earlier(rows, 2000);
  ASSERT_EQ(history.curve().size(), 20u) << "later ones are done again";
  EXPECT_EQ(history.curve().back().step, 2000);
  EXPECT_EQ(history.curve().back().loss, 3);
  EXPECT_EQ(history.curve().back().psnr_train_db, 15);
  EXPECT_EQ(history.curve().back().count, 140);
  EXPECT_EQ(history.test_views().size(), 10u);
  for (std::uint64_t step = 2001; step <= 2200; ++step) history.add(report(step, 1, 0.01));
  ASSERT_EQ(history.curve().size(), 22u) << "the same density";
  EXPECT_EQ(history.curve()[20].step, 2100);
  EXPECT_NEAR(history.curve()[20].loss, 1, 1e-9);
}

TEST(TrainHistory, LeavesOutStepsWithoutLosses) {
  const Dataset dataset = ring_dataset(8, 20);
  TrainHistory history(dataset);
  TrainReport hidden = report(1, 0, 0, 2);
  hidden.result.is_measured = false;
  history.add(hidden);
  EXPECT_TRUE(history.curve().empty());
  EXPECT_TRUE(std::isnan(history.photographs()[2].psnr_db));
  MetricsRow without = {.step = 10, .loss = std::nan(""), .psnr_train_db = std::nan("")};
  without.psnr_test_db = 14;
  const MetricsRow rows[] = {without, {.step = 20, .loss = 3, .psnr_train_db = 15}};
  history.add_earlier(rows, 20);
  ASSERT_EQ(history.curve().size(), 1u);
  EXPECT_EQ(history.curve()[0].step, 20);
  EXPECT_EQ(history.test_views().size(), 1u);
}

TEST(TrainHistory, BoundsTestPointsToo) {
  TrainHistory history;
  for (int i = 1; i <= 5000; ++i) {
    MetricsRow row;
    row.step = i;
    history.add(row);
    row.psnr_test_db = 20;
    history.add(row);
  }
  Evaluation evaluation;
  evaluation.right_halves = RightHalfScore{.psnr_db = 25};
  for (std::uint64_t i = 1; i <= 5000; ++i) history.add(evaluation, i);
  EXPECT_LE(history.fitted_evaluations().size(), TrainHistory::kMostPoints);
  EXPECT_EQ(history.fitted_evaluations().back().step, 5000);
  EXPECT_LE(history.test_views().size(), TrainHistory::kMostPoints);
  EXPECT_EQ(history.test_views().back().step, 5000);
}

TEST(TrainHistory, CollectsScoresOfPhotographsFromStepsAndEvaluations) {
  const Dataset dataset = ring_dataset(8, 20);
  TrainHistory history(dataset);
  EXPECT_TRUE(std::isnan(history.photographs()[2].psnr_db)) << "not seen yet";
  history.add(report(1, 1, 0.1, 2));
  history.add(report(2, 1, 0.001, 3));
  TrainReport coarse = report(3, 1, 0.5, 3);
  coarse.resolution_level = 1;
  history.add(coarse);
  EXPECT_NEAR(history.photographs()[3].psnr_db, 30, 1e-9) << "a coarse picture does not count";
  Evaluation evaluation;
  evaluation.psnr_db = 5;
  evaluation.views = {{.name = dataset.photographs[0].name, .psnr_db = 5, .ssim = 0.5},
                      {.name = "of another dataset", .psnr_db = 1}};
  history.add(evaluation, 3);
  EXPECT_EQ(history.photographs()[0].step, 3u);
  EXPECT_EQ(history.photographs()[0].ssim, 0.5);
  EXPECT_EQ(history.name(0), dataset.photographs[0].name);
  EXPECT_TRUE(history.is_test(dataset.test.front()));
  EXPECT_FALSE(history.is_test(dataset.train.front()));
  EXPECT_EQ(history.evaluations().back().psnr_db, 5);
  EXPECT_TRUE(history.fitted_evaluations().empty());
  EXPECT_TRUE(history.fitted().empty());
}

TEST(TrainHistory, KeepsScoresOfFittedRightHalvesSeparate) {
  const Dataset dataset = ring_dataset(8, 20);
  TrainHistory history(dataset);
  const RightHalfScore half{.psnr_db = 26, .ssim = 0.8, .plain_psnr_db = 21, .plain_ssim = 0.7};
  Evaluation evaluation;
  evaluation.psnr_db = 20;
  evaluation.views = {{.name = dataset.photographs[0].name, .psnr_db = 20, .right_half = half},
                      {.name = dataset.photographs[4].name, .psnr_db = 20}};
  evaluation.right_halves = half;
  evaluation.fitted = "exposure";
  history.add(evaluation, 7);
  EXPECT_EQ(history.evaluations().back().psnr_db, 20) << "the headline stays the plain one";
  ASSERT_EQ(history.fitted_evaluations().size(), 1u);
  EXPECT_EQ(history.fitted_evaluations()[0].step, 7);
  EXPECT_EQ(history.fitted_evaluations()[0].score.psnr_db, 26);
  EXPECT_EQ(history.fitted_evaluations()[0].score.plain_psnr_db, 21);
  EXPECT_EQ(history.fitted(), "exposure");
  ASSERT_TRUE(history.photographs()[0].right_half);
  EXPECT_EQ(history.photographs()[0].right_half->psnr_db, 26);
  EXPECT_EQ(history.photographs()[0].psnr_db, 20);
  EXPECT_FALSE(history.photographs()[4].right_half);
}

}  // namespace
}  // namespace mote
