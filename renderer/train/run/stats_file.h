#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "train/run/run_folder.h"

namespace mote {

/// The contents of stats.json that other code reads.
struct RunStats {
  std::string status = {};  // "done", "interrupted", "running"; empty if missing
  std::uint64_t steps = 0;
  std::optional<std::array<double, 3>> background = {};  // behind the scene in evaluations
};

/// Reads stats.json; empty where the folder has none. Unknown or invalid values are left out.
/// Throws Error where it cannot be read.
std::optional<RunStats> read_run_stats(const RunFolder& folder);

}  // namespace mote
