#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/command.h"

namespace mote {

/// A command and every option that it takes: its own, and the global ones of other names. The
/// options point into the command and into the global options, which must stay where they are.
struct DescribedCommand {
  const CommandEntry* entry;
  std::unique_ptr<Command> command;
  OptionTable table;

  DescribedCommand(const CommandEntry& described, GlobalOptions& globals);
};

/// Everything that the program understands, for help texts, the manual and completions.
struct DescribedProgram {
  GlobalOptions globals;
  DescribedCommand start;  // no command is named
  std::vector<DescribedCommand> commands;

  DescribedProgram();
  DescribedProgram(const DescribedProgram&) = delete;
  DescribedProgram& operator=(const DescribedProgram&) = delete;
};

/// Flags that print a text in place of a run: of every command, and without one.
Option help_option();
Option version_option();

/// Whether its flag stands without a value.
bool is_switch(const Option& option);
/// Whether it takes values separated by commas.
bool is_list(const Option& option);

/// The flags that may be typed for it: "--out", "-o"; an argument that has its place has its name
/// in help instead.
std::vector<std::string> spellings(const Option& option);
/// The same in one text, separated by commas.
std::string joined_spellings(const Option& option);
/// The flag that switches off what is on unless told otherwise: "--no-eval"; else empty.
std::string switching_off(const Option& option);
/// The name of its value in help: "FILE", "auto|on|off"; empty for a switch.
std::string value_name(const Option& option);
/// The help phrase with default, range and unit behind it.
std::string help_text(const Option& option);

}  // namespace mote
