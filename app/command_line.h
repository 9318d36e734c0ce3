#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/command.h"

namespace mote {

/// What the user asked for. Options point into the object, so it stays where it is.
class CommandLine {
 public:
  /// Understands the words behind the program's name. Options of a --config file are set first, so
  /// that flags win over it. Throws UsageError, with the nearest name where one was misspelt.
  explicit CommandLine(std::vector<std::string> words);
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  GlobalOptions globals;
  std::unique_ptr<Command> command;  // null where printing `text` is all there is to do
  std::string text;                  // help or version
};

}  // namespace mote
