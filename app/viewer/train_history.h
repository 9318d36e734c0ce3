#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "scene/dataset.h"
#include "train/evaluation.h"
#include "train/metrics_file.h"
#include "train/trainer.h"

namespace mote {

/// Means over some steps, for curves; but for splats and step, which are those at their end.
struct CurvePoint {
  double step = 0, loss = 0, psnr_train_db = 0, splats = 0;
};

/// One test view's, or of an evaluation the mean of all.
struct TestPoint {
  double step = 0, psnr_db = 0;
};

/// Means over the right halves of an evaluation's test views, which were fitted on their left ones.
struct FittedPoint {
  double step = 0;
  RightHalfScore score = {};
};

/// What is known of how well one photograph is shown.
struct PhotographScore {
  double psnr_db = std::numeric_limits<double>::quiet_NaN();  // NaN: not seen yet
  double ssim = std::numeric_limits<double>::quiet_NaN();     // of evaluations only
  std::uint64_t step = 0;                                     // when
  std::optional<RightHalfScore> right_half = {};              // of test views that were fitted
};

/// What a run looked like so far, in bounded memory: however long it is, its curves have between
/// half of kMostPoints and all of them. One thread's.
class TrainHistory {
 public:
  static constexpr std::size_t kMostPoints = 1024;

  TrainHistory() = default;
  explicit TrainHistory(const Dataset& dataset);

  /// A step's own picture tells how well its photograph is shown, for nothing.
  void add(const TrainReport& report);
  void add(const MetricsRow& row);
  void add(const Evaluation& evaluation, std::uint64_t step);

  const std::vector<CurvePoint>& curve() const { return curve_; }
  const std::vector<TestPoint>& test_views() const { return test_views_; }
  const std::vector<TestPoint>& evaluations() const { return evaluations_; }
  /// Empty where the run fits no test views.
  const std::vector<FittedPoint>& fitted_evaluations() const { return fitted_evaluations_; }
  /// What the last of them fitted: "exposure and pose". Empty where there are none.
  const std::string& fitted() const { return fitted_; }
  /// One a photograph, in the dataset's order.
  const std::vector<PhotographScore>& photographs() const { return photographs_; }
  const std::string& name(std::size_t photograph) const { return names_[photograph]; }
  /// Whether the run leaves it out to test with.
  bool is_test(std::size_t photograph) const { return test_[photograph]; }

 private:
  void thin_out();

  std::vector<CurvePoint> curve_;
  std::vector<TestPoint> test_views_, evaluations_;
  std::vector<FittedPoint> fitted_evaluations_;
  std::string fitted_;
  std::vector<PhotographScore> photographs_;
  std::vector<std::string> names_;         // of photographs
  std::vector<bool> test_;                 // of them
  CurvePoint sum_;                         // of the steps since the last point
  std::uint64_t summed_ = 0, stride_ = 1;  // steps in it, and of a point
};

}  // namespace mote
