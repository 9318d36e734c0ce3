#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace mote {

/// What the folder says of the run that it holds.
struct RunFacts {
  std::filesystem::path folder = {};                    // whole_path(); empty: it holds none
  std::filesystem::path dataset = {};                   // the same; empty: it does not say
  std::optional<std::array<float, 3>> background = {};  // as `mote eval` takes it from there
  std::optional<std::uint64_t> checkpoint = {};         // step of the newest one
  bool can_go_on = false;  // it was stopped, it failed or was killed before it was done
};

/// Reads the disk. Throws Error where a file of the run cannot be read.
RunFacts run_facts(const std::filesystem::path& folder);

/// Absolute and without "..", "." or a slash at its end, so that paths of one place are equal.
std::filesystem::path whole_path(const std::filesystem::path& path);

}  // namespace mote
