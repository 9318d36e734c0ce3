#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"

namespace mote {

/// The program does not exist.
class ProgramMissing : public Error {
 public:
  using Error::Error;
};

/// A call of another program. No shell is involved, so the arguments reach it unchanged.
struct ProcessCall {
  std::string program;  // a path, or a name that is searched in PATH
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  // added to our environment
};

/// Exit status of a process.
struct ProcessEnd {
  int exit_code = 0;
  int signal = 0;  // signal that ended it; 0 after a normal exit

  bool succeeded() const { return exit_code == 0 && signal == 0; }
};

/// Runs the program to its end, with empty stdin. `on_line` gets each line that it writes to stdout
/// or stderr, without the line end. Throws Error where the program cannot be started,
/// ProgramMissing where it does not exist. If this process ends, in any way, the program and its
/// process group are killed. If the user interrupts (core/interrupt.h) or `on_line` throws, the
/// group is asked to end and killed if it does not. Interrupted or the exception is then thrown.
ProcessEnd run_process(const ProcessCall& call,
                       const std::function<void(std::string_view line)>& on_line);

}  // namespace mote
