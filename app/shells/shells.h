#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/cli/described_command.h"

namespace mote {

/// A shell, and the script that completes Mote's command line in it.
struct Shell {
  std::string_view name;
  std::string (*script)(const DescribedProgram& program);
};

/// Each is in a file of its own: bash.cpp, fish.cpp, zsh.cpp.
std::string bash_completions(const DescribedProgram& program);
std::string fish_completions(const DescribedProgram& program);
std::string zsh_completions(const DescribedProgram& program);

inline constexpr Shell kShells[] = {
    {"bash", bash_completions},
    {"zsh", zsh_completions},
    {"fish", fish_completions},
};

/// The flags of a command, with help and, for the program itself, version.
std::vector<Option> flags_of(const DescribedCommand& command);
/// The positional arguments of a command, in order.
std::vector<Option> arguments_of(const DescribedCommand& command);
/// The command's name in scripts; empty for the program without a command.
std::string name_in_line(const DescribedCommand& command);

}  // namespace mote
