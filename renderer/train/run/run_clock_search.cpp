#include "train/run/run_clock_search.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/log.h"
#include "core/spelling.h"

namespace mote {
namespace {

/// Text such as "cam03: +4 frames, cam07: -2 frames".
std::string changes_text(const std::vector<FoundClock>& clocks, const Dataset& dataset) {
  std::vector<std::string> changes;
  for (const FoundClock& clock : clocks) {
    if (clock.change_s == 0) continue;
    const std::string frames = fmt::format("{:+.3g}", clock.change_s / clock.frame_s);
    const bool is_one = frames == "+1" || frames == "-1";
    changes.push_back(fmt::format("{}: {} {}", dataset.camera_groups[clock.camera].name, frames,
                                  is_one ? "frame" : "frames"));
  }
  return changes.empty() ? "none is clearly off by a frame or more"
                         : fmt::format("{}", fmt::join(changes, ", "));
}

/// Warns of cameras whose clocks were not searched, or may be off by more than the search covers.
void warn_of_clocks(const std::vector<FoundClock>& clocks, const Dataset& dataset) {
  const FoundClock* first = nullptr;
  std::size_t left_out = 0;
  for (const FoundClock& clock : clocks) {
    const std::string& name = dataset.camera_groups[clock.camera].name;
    if (clock.at_end) {
      log_warning(
          "the largest offset that --clock-search allows suits camera {} best: it may be off by "
          "more; raise --clock-search",
          name);
    }
    if (clock.left_out.empty()) continue;
    if (left_out++ == 0) first = &clock;
  }
  if (first == nullptr) return;
  log_warning("{} of cameras {} not searched, such as that of {}: {}", number_of(left_out, "clock"),
              left_out == 1 ? "is" : "are", dataset.camera_groups[first->camera].name,
              first->left_out);
}

}  // namespace

void search_clocks(Trainer& trainer, const Dataset& dataset, ProgressMode mode,
                   const std::function<void()>& look_up) {
  if (!trainer.clock_search_is_due()) return;
  std::vector<FoundClock> clocks;
  {
    Progress progress(mode, "searching for clocks", 1, "");
    clocks = trainer.search_clocks([&](double share) {
      look_up();
      progress.set(share);
    });
  }
  log_info("step {}: clocks of cameras: {}", trainer.steps_done(), changes_text(clocks, dataset));
  warn_of_clocks(clocks, dataset);
}

}  // namespace mote
