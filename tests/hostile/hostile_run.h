#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace mote::hostile {

/// Result of a run of the program, and its cost.
struct RunResult {
  int exit_code = 0;  // or minus the number of the terminating signal
  bool hung = false;  // ended by the runner
  std::string out, err;
  std::uint64_t peak_bytes = 0;  // resident memory
  double processor_s = 0;
};

struct RunOptions {
  std::filesystem::path folder;  // the working directory
  bool unprivileged = false;     // if started by root, runs as nobody
};

/// Runs the built program to its end, and kills it after a minute.
RunResult run_program(const std::vector<std::string>& words, const RunOptions& options);

/// Whether the user nobody can run the program, or this process is not root.
bool can_run_unprivileged();

/// Every entry below `folder`: its kind and permissions, and the content of files or the target of
/// links. Unreadable entries have no content.
std::map<std::string, std::string> snapshot(const std::filesystem::path& folder);

}  // namespace mote::hostile
