#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "train/run/metrics_file.h"

namespace mote {

/// The means of one evaluation over all its views. Plain values, stored in checkpoints.
struct EvaluationPoint {
  double step = 0, psnr_db = 0, ssim = 0;
};

/// The data of the plot of loss, PSNR and the size of the model over the steps, an SVG file.
/// `test_views`: number of views that the running test PSNR cycles through; the window of its mean
/// has at most this length.
struct MetricsPlot {
  std::string title, subtitle;
  std::string counted;  // the elements of the model: "splats"
  std::span<const MetricsRow> rows;
  std::span<const EvaluationPoint> evaluations;
  std::string trained_on = "training views", evaluated_on = "all test views";  // in the legend
  std::size_t test_views = 0;
};
void write_metrics_plot(const MetricsPlot& plot, const std::filesystem::path& path);

}  // namespace mote
