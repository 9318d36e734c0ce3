#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "train/run/run_folder.h"

namespace mote {

/// What others than the run itself want of its stats.json.
struct RunStats {
  std::string status = {};  // "done", "interrupted", "running"; empty where the file does not say
  std::uint64_t steps = 0;
  std::optional<std::array<double, 3>> background = {};  // behind the scene in evaluations
};

/// Nothing where the folder has no such file. What in it cannot be understood is left out. Throws
/// Error where it cannot be read.
std::optional<RunStats> read_run_stats(const RunFolder& folder);

}  // namespace mote
