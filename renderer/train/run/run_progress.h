#pragma once

#include <cstdint>

#include "core/progress.h"
#include "train/run/trainer.h"

namespace mote {

/// The progress line of a training run: step, speed, time left, loss, PSNR of the running test
/// view, size of the model. Speed and loss are means over about the last fifty steps.
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
  std::uint64_t shown_ = 0;
  double step_s_ = 0, loss_ = 0;
  double test_psnr_db_ = 0;  // 0: none yet
};

/// Text such as "step 2000/7000, 33.1 steps/s, 2 min 31 s left, loss 0.0312, test 25.4 dB, 43.1 k
/// splats".
struct RunNote {
  std::uint64_t step = 0, steps_total = 0, count = 0;
  std::string_view counted;
  double step_s = 0, loss = 0, test_psnr_db = 0;
};
std::string run_note(const RunNote& note);

}  // namespace mote
