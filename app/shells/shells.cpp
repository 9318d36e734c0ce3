// Helpers shared by the scripts of all shells.
#include "app/shells/shells.h"

namespace mote {

std::vector<Option> flags_of(const DescribedCommand& command) {
  std::vector<Option> flags;
  for (const Option& option : command.table.options()) {
    if (!option.positional) flags.push_back(option);
  }
  flags.push_back(help_option());
  if (command.entry == &kStartCommand) flags.push_back(version_option());
  return flags;
}

std::vector<Option> arguments_of(const DescribedCommand& command) {
  std::vector<Option> arguments;
  for (const Option& option : command.table.options()) {
    if (option.positional) arguments.push_back(option);
  }
  return arguments;
}

std::string name_in_line(const DescribedCommand& command) {
  return command.entry == &kStartCommand ? "" : std::string(command.entry->name);
}

}  // namespace mote
