#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "core/options.h"
#include "core/progress.h"

namespace mote {

/// Options of every command, given before or after its name.
struct GlobalOptions {
  std::string device = "auto";
  std::string progress = "auto";
  std::string config;
  int seed = 42;
  bool json = false, quiet = false, verbose = false, yes = false;

  void describe(OptionTable& table);
  ProgressMode progress_mode() const {
    return quiet ? ProgressMode::none : mote::progress_mode(progress);
  }
};

/// One subcommand. Its members are the targets of its options, and their initial values are the
/// defaults. An option with the name of a global one replaces it after the command's name.
class Command {
 public:
  virtual ~Command() = default;
  virtual void describe(OptionTable& table) = 0;
  /// Writes data to stdout and everything else to the log. Throws Error, UsageError or Interrupted.
  virtual void run(const GlobalOptions& globals) = 0;

  /// Names of the options, global ones included, that the user set by flags or a --config file.
  std::set<std::string> given;
  /// The subset that was set by flags.
  std::set<std::string> flags;
};

/// A command's entry in the table; defined in the command's file in commands/.
struct CommandEntry {
  std::string_view name;
  std::string_view summary;  // one line, for the list of commands
  std::string_view notes;    // printed below the options in its help; may be empty
  std::unique_ptr<Command> (*make)();
};

/// All commands, in the order of the help text.
std::span<const CommandEntry* const> commands();

/// The command that runs when none is named; not in the list.
extern const CommandEntry kStartCommand;

/// Creates a command of type T, for its entry.
template <class T>
std::unique_ptr<Command> make_command() {
  return std::make_unique<T>();
}

}  // namespace mote
