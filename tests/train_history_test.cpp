#include "app/viewer/train_history.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fake_training.h"

namespace mote {
namespace {

TrainReport report(std::uint64_t step, double loss, double mse, std::uint32_t photograph = 0) {
  TrainReport result;
  result.step = step;
  result.photograph = photograph;
  result.splats = 10 * step;
  result.result.loss = loss;
  result.result.mse = mse;
  return result;
}

TEST(TrainHistory, StaysWithinItsBoundsHoweverLongTheRunIs) {
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
    EXPECT_EQ(point.splats, 10 * point.step);
  }
  EXPECT_GT(last, 99000);
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
  EXPECT_LE(history.test_views().size(), TrainHistory::kMostPoints);
  EXPECT_EQ(history.test_views().back().step, 5000);
}

TEST(TrainHistory, KnowsThePhotographsByTheStepsAndByEvaluations) {
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
}

}  // namespace
}  // namespace mote
