#include "app/viewer/training/train_history.h"

#include <algorithm>
#include <cmath>

namespace mote {
namespace {

/// Drops every second point if there are more than kMostPoints.
template <class Point>
void halve(std::vector<Point>& points) {
  if (points.size() <= TrainHistory::kMostPoints) return;
  for (std::size_t i = 0; i < points.size() / 2; ++i) points[i] = points[2 * i + 1];
  points.resize(points.size() / 2);
}

}  // namespace

TrainHistory::TrainHistory(const Dataset& dataset)
    : photographs_(dataset.photographs.size()), test_(dataset.photographs.size()) {
  for (const Photograph& photograph : dataset.photographs) names_.push_back(photograph.name);
  for (const std::uint32_t index : dataset.test) test_[index] = true;
}

void TrainHistory::add(const TrainReport& report) {
  if (!report.has_losses()) return;
  const double psnr_db = psnr_of_mse(report.result.mse);
  // A coarser resolution level of the photograph would give another score.
  if (report.photograph < photographs_.size() && report.resolution_level == 0) {
    photographs_[report.photograph] = {.psnr_db = psnr_db, .step = report.step};
  }
  sum_.loss += report.result.loss;
  sum_.psnr_train_db += psnr_db;
  if (++summed_ < stride_) return;
  const auto steps = static_cast<double>(summed_);
  add_point({.step = static_cast<double>(report.step),
             .loss = sum_.loss / steps,
             .psnr_train_db = sum_.psnr_train_db / steps,
             .count = static_cast<double>(report.count)});
  sum_ = {};
  summed_ = 0;
}

void TrainHistory::add_point(const CurvePoint& point) {
  curve_.push_back(point);
  if (curve_.size() == kMostPoints) thin_out();
}

void TrainHistory::add_earlier(std::span<const MetricsRow> rows, std::uint64_t last_step) {
  double before = 0;
  for (const MetricsRow& row : rows) {
    if (row.step > static_cast<double>(last_step)) break;
    // Further points are then as dense as these.
    const auto steps = static_cast<std::uint64_t>(std::max(1.0, row.step - before));
    if (curve_.empty()) stride_ = steps;
    before = row.step;
    add(row);
    if (std::isnan(row.loss)) continue;
    add_point({.step = row.step,
               .loss = row.loss,
               .psnr_train_db = row.psnr_train_db,
               .count = row.count});
  }
}

void TrainHistory::add_evaluation(double psnr_db, std::uint64_t step) {
  evaluations_.push_back({static_cast<double>(step), psnr_db});
  halve(evaluations_);
}

/// Merges pairs of points.
void TrainHistory::thin_out() {
  for (std::size_t i = 0; i < curve_.size() / 2; ++i) {
    const CurvePoint &a = curve_[2 * i], &b = curve_[2 * i + 1];
    curve_[i] = {.step = b.step,
                 .loss = 0.5 * (a.loss + b.loss),
                 .psnr_train_db = 0.5 * (a.psnr_train_db + b.psnr_train_db),
                 .count = b.count};
  }
  curve_.resize(curve_.size() / 2);
  stride_ *= 2;
}

void TrainHistory::add(const MetricsRow& row) {
  if (std::isnan(row.psnr_test_db)) return;
  test_views_.push_back({row.step, row.psnr_test_db});
  halve(test_views_);
}

void TrainHistory::add(const Evaluation& evaluation, std::uint64_t step) {
  add_evaluation(evaluation.psnr_db, step);
  if (evaluation.right_halves) {
    fitted_ = evaluation.fitted;
    fitted_evaluations_.push_back({static_cast<double>(step), *evaluation.right_halves});
    halve(fitted_evaluations_);
  }
  for (const ViewScore& view : evaluation.views) {
    const auto found = std::find(names_.begin(), names_.end(), view.name);
    if (found == names_.end()) continue;
    photographs_[static_cast<std::size_t>(found - names_.begin())] = {view.psnr_db, view.ssim, step,
                                                                      view.right_half};
  }
}

}  // namespace mote
