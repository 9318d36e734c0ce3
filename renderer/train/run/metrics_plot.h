#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "train/run/metrics_file.h"

namespace mote {

/// The means of one evaluation over all its views. Plain values: part of a checkpoint.
struct EvaluationPoint {
  double step = 0, psnr_db = 0, ssim = 0;
};

/// Draws loss, PSNR and splats over the steps into an SVG file. `test_views` is how many views the
/// running test PSNR goes around; its line is averaged over so many at most.
struct MetricsPlot {
  std::string title, subtitle;
  std::span<const MetricsRow> rows;
  std::span<const EvaluationPoint> evaluations;
  bool evaluated_on_test = true;  // or on the training views
  std::size_t test_views = 0;
};
void write_metrics_plot(const MetricsPlot& plot, const std::filesystem::path& path);

}  // namespace mote
