#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/cli/command.h"

namespace mote {

/// A command with all its options: its own, and the global ones that it does not replace. The
/// options point into the command and into the global options, which must not move.
struct DescribedCommand {
  const CommandEntry* entry;
  std::unique_ptr<Command> command;
  OptionTable table;

  DescribedCommand(const CommandEntry& described, GlobalOptions& globals);
};

/// All commands and options of the program, for help texts, the manual and completions.
struct DescribedProgram {
  GlobalOptions globals;
  DescribedCommand start;  // used when no command is named
  std::vector<DescribedCommand> commands;

  DescribedProgram();
  DescribedProgram(const DescribedProgram&) = delete;
  DescribedProgram& operator=(const DescribedProgram&) = delete;
};

/// Flags that print a text instead of running; valid for every command and without one.
Option help_option();
Option version_option();

/// Whether the option's flag takes no value.
bool is_switch(const Option& option);
/// Whether the option takes a list of values separated by commas.
bool is_list(const Option& option);

/// The flags of an option, for example "--out" and "-o". A positional argument has its name in help
/// instead.
std::vector<std::string> spellings(const Option& option);
/// The spellings in one text, separated by commas.
std::string joined_spellings(const Option& option);
/// The flag that switches off an option which is on by default, for example "--no-eval"; else
/// empty.
std::string switching_off(const Option& option);
/// The name of the option's value in help, for example "FILE" or "auto|on|off"; empty for a switch.
std::string value_name(const Option& option);
/// The help phrase, followed by default, range and unit.
std::string help_text(const Option& option);

}  // namespace mote
