#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace mote {

/// Facts of a training run, read from its folder.
struct RunFacts {
  std::filesystem::path folder = {};                    // whole_path(); empty: not a run's folder
  std::filesystem::path dataset = {};                   // whole_path(); empty: not known
  std::optional<std::array<float, 3>> background = {};  // as `mote eval` reads it
  std::optional<std::uint64_t> checkpoint = {};         // step of the newest checkpoint
  bool can_go_on = false;  // the run was stopped, failed or was killed before its end
};

/// Reads the run's files. Throws Error if one cannot be read.
RunFacts run_facts(const std::filesystem::path& folder);

/// The absolute path without "..", "." or a trailing slash, so that equal places have equal paths.
std::filesystem::path whole_path(const std::filesystem::path& path);

}  // namespace mote
