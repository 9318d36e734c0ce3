#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/described_command.h"

namespace mote {

/// A shell that completes the words of Mote's command line, and the script that teaches it to.
struct Shell {
  std::string_view name;
  std::string (*script)(const DescribedProgram& program);
};

/// One file each: bash.cpp, fish.cpp, zsh.cpp.
std::string bash_completions(const DescribedProgram& program);
std::string fish_completions(const DescribedProgram& program);
std::string zsh_completions(const DescribedProgram& program);

inline constexpr Shell kShells[] = {
    {"bash", bash_completions},
    {"zsh", zsh_completions},
    {"fish", fish_completions},
};

/// The flags of a command that can be typed, help and, without a command, version included.
std::vector<Option> flags_of(const DescribedCommand& command);
/// Its arguments that have a place, in their order.
std::vector<Option> arguments_of(const DescribedCommand& command);
/// The name by which scripts know the command; empty where none is named.
std::string name_in_line(const DescribedCommand& command);

}  // namespace mote
