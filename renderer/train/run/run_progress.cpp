#include "train/run/run_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mote {

void RecentMean::add(double value) {
  constexpr double kNewest = 0.02;  // weight of the newest value after the first ones
  ++count_;
  const double weight = std::max(kNewest, 1 / static_cast<double>(count_));
  mean_ = count_ == 1 ? value : mean_ + weight * (value - mean_);
}

void RunProgress::show(const TrainReport& report, std::uint64_t steps_total, double step_s) {
  step_s_.add(step_s);
  if (report.has_losses()) loss_.add(report.result.loss);
  const double done = static_cast<double>(report.step) /
                      static_cast<double>(std::max<std::uint64_t>(steps_total, 1));
  progress_.set(done, run_note({.step = report.step,
                                .steps_total = steps_total,
                                .count = report.count,
                                .counted = counted_,
                                .step_s = step_s_.value(),
                                .loss = loss_.value(),
                                .test_psnr_db = test_psnr_db_}));
}

std::string run_note(const RunNote& note) {
  const auto left = static_cast<double>(note.steps_total - std::min(note.step, note.steps_total));
  std::string text = fmt::format("step {}/{}", note.step, note.steps_total);
  if (note.step_s > 0) {
    text += fmt::format(", {}, {} left", rate_text(1 / note.step_s, "steps"),
                        short_duration(left * note.step_s));
  }
  if (!std::isnan(note.loss)) text += fmt::format(", loss {:.4f}", note.loss);
  if (note.test_psnr_db > 0) text += fmt::format(", test {:.1f} dB", note.test_psnr_db);
  return text + fmt::format(", {} {}", short_number(static_cast<double>(note.count)), note.counted);
}

}  // namespace mote
