#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"

namespace mote {

/// There is no program of that name.
class ProgramMissing : public Error {
 public:
  using Error::Error;
};

/// Another program to run. No shell is involved: arguments reach it as they are.
struct ProcessCall {
  std::string program;  // a path, or a name to look for in PATH
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  // set besides ours
};

/// How it ended.
struct ProcessEnd {
  int exit_code = 0;
  int signal = 0;  // that ended it; 0 where it ended by itself

  bool succeeded() const { return exit_code == 0 && signal == 0; }
};

/// Runs it to its end; `on_line` gets each line that it writes to stdout or stderr, without the
/// line's end. Its stdin is empty. Throws Error where it cannot be started, ProgramMissing where it
/// is not there. It ends with this process, killed with all of its group, however this process
/// ends. When the user interrupts (core/interrupt.h), or when on_line throws, it and all that it
/// started are told to end, and killed where they do not; then Interrupted or that exception is
/// thrown.
ProcessEnd run_process(const ProcessCall& call,
                       const std::function<void(std::string_view line)>& on_line);

}  // namespace mote
