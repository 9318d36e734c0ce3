#include "app/viewer/training/run_place.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <system_error>

#include "train/run/run_folder.h"
#include "train/run/time_budget.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr int kMostRuns = 10000;

/// The first of NAME, NAME_2, ... that is free for a new run.
fs::path free_folder(const fs::path& folder, const std::string& name) {
  fs::path candidate = folder / name;
  for (int i = 2; i < kMostRuns && !RunFolder(candidate).is_free(); ++i) {
    candidate = folder / fmt::format("{}_{}", name, i);
  }
  return candidate;
}

bool can_write(const fs::path& folder) {
  return ::access(folder.c_str(), W_OK | X_OK) == 0;
}

}  // namespace

fs::path data_folder() {
  const char* chosen = std::getenv("XDG_DATA_HOME");
  if (chosen != nullptr && fs::path(chosen).is_absolute()) return fs::path(chosen) / "mote";
  const char* home = std::getenv("HOME");
  return fs::path(home != nullptr ? home : ".") / ".local/share/mote";
}

void lengthen(LoopOptions& options, const fs::path& out, int more) {
  if (more > 0) {
    options.steps = more + static_cast<int>(RunFolder(out).newest_checkpoint_step().value_or(0));
    options.time_budget.clear();
  } else if (!options.time_budget.empty()) {
    options.time_budget =
        fmt::format("{}s", 2 * parse_duration(options.time_budget, "time-budget"));
  } else {
    options.steps *= 2;
  }
}

fs::path proposed_run_folder(const fs::path& data) {
  std::error_code ignored;
  const fs::path whole = fs::absolute(data).lexically_normal();
  fs::path folder = fs::is_directory(whole, ignored) ? whole : whole.parent_path();
  if (!folder.has_filename()) folder = folder.parent_path();  // for a path that ends in '/'
  if (can_write(folder)) return free_folder(folder, "output");
  return free_folder(data_folder(), folder.filename().string());
}

}  // namespace mote
