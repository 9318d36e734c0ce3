#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace mote::hostile {

/// How a run of the program ended, and what it took.
struct RunResult {
  int exit_code = 0;  // or minus the signal that ended it
  bool hung = false;  // ended by the runner
  std::string out, err;
  std::uint64_t peak_bytes = 0;  // resident memory
  double processor_s = 0;
};

struct RunOptions {
  std::filesystem::path folder;  // the working directory
  bool unprivileged = false;     // root runs it as nobody
};

/// Runs the built program to its end. A run that does not end within a minute is killed.
RunResult run_program(const std::vector<std::string>& words, const RunOptions& options);

/// Whether nobody can run the program, or this process is not root and runs it as itself.
bool can_run_unprivileged();

/// Every entry below `folder`: its kind and permissions, and the bytes of files or the target of
/// links. Entries that cannot be read are listed without content.
std::map<std::string, std::string> snapshot(const std::filesystem::path& folder);

}  // namespace mote::hostile
