#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scene/dataset.h"
#include "train/run/evaluation.h"
#include "train/run/metrics_file.h"
#include "train/run/trainer.h"

namespace mote {

/// A point of the curves: means over some steps, except step and count, the number of elements,
/// which are the values at their end.
struct CurvePoint {
  double step = 0, loss = 0, psnr_train_db = 0, count = 0;
};

/// PSNR of one test view, or the mean over an evaluation.
struct TestPoint {
  double step = 0, psnr_db = 0;
};

/// Means over the right halves of an evaluation's test views, which were fitted to their left
/// halves.
struct FittedPoint {
  double step = 0;
  RightHalfScore score = {};
};

/// Quality of one photograph's rendering, as far as known.
struct PhotographScore {
  double psnr_db = std::numeric_limits<double>::quiet_NaN();  // NaN: not measured yet
  double ssim = std::numeric_limits<double>::quiet_NaN();     // from evaluations only
  std::uint64_t step = 0;                                     // step of the measurement
  std::optional<RightHalfScore> right_half = {};              // for fitted test views
};

/// History of a run in bounded memory: its curves have between kMostPoints / 2 and kMostPoints
/// points, for any length of the run. Not thread-safe.
class TrainHistory {
 public:
  static constexpr std::size_t kMostPoints = 1024;

  TrainHistory() = default;
  explicit TrainHistory(const Dataset& dataset);

  /// Adds a step. The step's own picture also gives its photograph's score at no extra cost.
  void add(const TrainReport& report);
  /// Adds the lines of metrics.csv up to a step, before all steps: those of the run before it was
  /// continued, or of a run that is over.
  void add_earlier(std::span<const MetricsRow> rows, std::uint64_t last_step);
  /// Adds the mean of an evaluation whose views are not known.
  void add_evaluation(double psnr_db, std::uint64_t step);
  void add(const MetricsRow& row);
  void add(const Evaluation& evaluation, std::uint64_t step);

  const std::vector<CurvePoint>& curve() const { return curve_; }
  const std::vector<TestPoint>& test_views() const { return test_views_; }
  const std::vector<TestPoint>& evaluations() const { return evaluations_; }
  /// Empty if the run does not fit its test views.
  const std::vector<FittedPoint>& fitted_evaluations() const { return fitted_evaluations_; }
  /// Parameters fitted by the last of them, for example "exposure and pose". Empty if there are
  /// none.
  const std::string& fitted() const { return fitted_; }
  /// One per photograph, in the dataset's order.
  const std::vector<PhotographScore>& photographs() const { return photographs_; }
  const std::string& name(std::size_t photograph) const { return names_[photograph]; }
  /// Whether the run holds the photograph out for testing.
  bool is_test(std::size_t photograph) const { return test_[photograph]; }

 private:
  void add_point(const CurvePoint& point);
  void thin_out();

  std::vector<CurvePoint> curve_;
  std::vector<TestPoint> test_views_, evaluations_;
  std::vector<FittedPoint> fitted_evaluations_;
  std::string fitted_;
  std::vector<PhotographScore> photographs_;
  std::vector<std::string> names_;         // of the photographs
  std::vector<bool> test_;                 // one flag per photograph
  CurvePoint sum_;                         // sum over the steps since the last point
  std::uint64_t summed_ = 0, stride_ = 1;  // number of steps in sum_, and per point
};

}  // namespace mote
