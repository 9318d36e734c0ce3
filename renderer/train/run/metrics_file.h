#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/growing_file.h"
#include "train/splats/trainer.h"

namespace mote {

/// One line of metrics.csv: means over the steps since the line before, but for what is said of a
/// moment.
struct MetricsRow {
  double step = 0;     // the last one of the interval
  double seconds = 0;  // of training steps since the run began, evaluation and saving apart
  double loss = 0, l1 = 0, ssim = 0, psnr_train_db = 0;
  double psnr_test_db = std::numeric_limits<double>::quiet_NaN();  // of one test view, at its end;
                                                                   // NaN where there is none
  double splats = 0;                                               // at its end
  double steps_per_s = 0;
  double project_ms = 0, forward_ms = 0, loss_ms = 0, backward_ms = 0, update_ms = 0, step_ms = 0;
};

/// Sums over the steps of an interval. Plain values: part of a checkpoint.
struct IntervalSums {
  std::uint64_t steps = 0;
  double seconds = 0;
  MetricsRow sums{.psnr_test_db = 0};

  void add(const TrainReport& report, double step_s);
  /// The means, with step, splats and seconds of `report` and the run; empties the sums.
  MetricsRow take(const TrainReport& report, double run_s);
};

/// metrics.csv: grows by one line at a time, so that a crash leaves all lines but the last whole.
class MetricsFile {
 public:
  /// Takes up the file where there is one: lines up to `last_step` stay, the rest goes. Throws
  /// Error where the file cannot be written.
  MetricsFile(std::filesystem::path path, std::uint64_t last_step);
  MetricsFile(const MetricsFile&) = delete;
  MetricsFile& operator=(const MetricsFile&) = delete;

  const std::vector<MetricsRow>& rows() const { return rows_; }
  /// A line that the disk does not take is warned of, the first time, and written with the next
  /// one. A file that was removed is made again, with all lines.
  void append(const MetricsRow& row);

 private:
  std::string whole_text() const;
  void write_whole();

  std::filesystem::path path_;
  std::vector<MetricsRow> rows_;
  std::size_t in_file_ = 0;  // rows of the file, which are the first
  std::unique_ptr<GrowingFile> file_;
  bool warned_ = false;
};

/// 10 log10(1 / mse), of values in 0..1; at most 100 dB, which stands for "the same".
double psnr_of_mse(double mse);

}  // namespace mote
