#pragma once

#include <cstdint>
#include <limits>

#include "core/progress.h"
#include "train/run/trainer.h"

namespace mote {

/// The mean of about the last fifty values of a series.
class RecentMean {
 public:
  void add(double value);
  /// NaN before the first value.
  double value() const { return mean_; }

 private:
  std::uint64_t count_ = 0;
  double mean_ = std::numeric_limits<double>::quiet_NaN();
};

/// The progress line of a training run: step, speed, time left, loss, PSNR of the running test
/// view, size of the model. Speed and loss are means over about the last fifty steps, the loss over
/// those that have one.
class RunProgress {
 public:
  /// `counted`: name of the model's elements, such as "splats".
  RunProgress(ProgressMode mode, std::string_view counted)
      : progress_(mode, "training", 1, ""), counted_(counted) {}

  void show(const TrainReport& report, std::uint64_t steps_total, double step_s);
  void note_test_psnr(double psnr_db) { test_psnr_db_ = psnr_db; }

 private:
  Progress progress_;
  std::string_view counted_;
  RecentMean step_s_, loss_;
  double test_psnr_db_ = 0;  // 0: none yet
};

/// Text such as "step 2000/7000, 33.1 steps/s, 2 min 31 s left, loss 0.0312, test 25.4 dB, 43.1 k
/// splats". Values that are not known are left out.
struct RunNote {
  std::uint64_t step = 0, steps_total = 0, count = 0;
  std::string_view counted;
  double step_s = 0;                                       // 0: not known
  double loss = std::numeric_limits<double>::quiet_NaN();  // NaN: not known
  double test_psnr_db = 0;                                 // 0: not known
};
std::string run_note(const RunNote& note);

}  // namespace mote
