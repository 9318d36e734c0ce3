#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/growing_file.h"
#include "train/run/trainer.h"

namespace mote {

/// One line of metrics.csv: means over the steps since the last line, except for values at its end.
struct MetricsRow {
  double step = 0;  // the last step of the interval
  /// Time of training steps since the start of the run, without evaluation and saving.
  double seconds = 0;
  double loss = 0, l1 = 0, ssim = 0, psnr_train_db = 0;
  double psnr_test_db = std::numeric_limits<double>::quiet_NaN();  // of one test view, at its end;
                                                                   // NaN if there is none
  double count = 0;                                                // at the end of the interval
  double steps_per_s = 0;
  double project_ms = 0, forward_ms = 0, loss_ms = 0, backward_ms = 0, update_ms = 0, step_ms = 0;
  double interlevel = 0, distortion = 0;  // losses of proposals; NaN without them
};

/// Sums over the steps of an interval. Plain values, stored in checkpoints.
struct IntervalSums {
  std::uint64_t steps = 0, measured = 0;  // measured: those whose losses count
  double seconds = 0;
  MetricsRow sums{.psnr_test_db = 0};

  void add(const TrainReport& report, double step_s);
  /// Returns the means, together with step, count and seconds of `report` and the run. Resets the
  /// sums.
  MetricsRow take(const TrainReport& report, double run_s);
};

/// The content of a metrics.csv.
struct MetricsTable {
  std::string counted = {};  // name of the model's elements; empty: there is no such file
  std::vector<MetricsRow> rows = {};
};

/// Reads the file of a run that may be in progress: the lines before the first incomplete one. The
/// table is empty for a missing file, and for one with other columns. Throws Error if the file
/// cannot be read.
MetricsTable read_metrics(const std::filesystem::path& path);

/// metrics.csv. It grows by one line at a time, so a crash can damage only the last line.
class MetricsFile {
 public:
  /// Continues an existing file: keeps lines up to `last_step` and removes later ones. Throws Error
  /// if the file cannot be written. `counted`: name of the model's elements, such as "splats",
  /// which is also the name of a column.
  MetricsFile(std::filesystem::path path, std::string_view counted, std::uint64_t last_step);
  MetricsFile(const MetricsFile&) = delete;
  MetricsFile& operator=(const MetricsFile&) = delete;

  const std::vector<MetricsRow>& rows() const { return rows_; }
  /// Appends a line. If that fails, writes it with the next one; only the first failure is logged.
  /// A file that was removed is created again, with all lines.
  void append(const MetricsRow& row);

 private:
  std::string whole_text() const;
  void write_whole();

  std::filesystem::path path_;
  std::string header_;
  std::vector<MetricsRow> rows_;
  std::size_t in_file_ = 0;  // number of leading rows that are in the file
  std::unique_ptr<GrowingFile> file_;
  bool warned_ = false;
};

/// 10 log10(1 / mse) for values in 0..1; capped at 100 dB, which means equal images.
double psnr_of_mse(double mse);

}  // namespace mote
