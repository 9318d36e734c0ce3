#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/cli/command.h"

namespace mote {

/// The parsed command line. Options point into this object, so it cannot be copied.
class CommandLine {
 public:
  /// Parses the words after the program's name. Sets the options of a --config file first, so that
  /// flags override them. Throws UsageError, with the nearest known name for a misspelt word.
  explicit CommandLine(std::vector<std::string> words);
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  GlobalOptions globals;
  std::unique_ptr<Command> command;  // null: only `text` is to be printed
  std::string text;                  // help text or version
};

}  // namespace mote
