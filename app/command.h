#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "core/options.h"
#include "core/progress.h"

namespace mote {

/// What every command understands, before or after its name.
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

/// One subcommand. Its options live in the object; what they hold when it is made are the defaults.
/// An option named like a global one takes its place behind the command's name.
class Command {
 public:
  virtual ~Command() = default;
  virtual void describe(OptionTable& table) = 0;
  /// Data goes to stdout, everything else to the log. Throws Error, UsageError or Interrupted.
  virtual void run(const GlobalOptions& globals) = 0;

  /// Names of the options, global ones included, that the user set by flags or a --config file.
  std::set<std::string> given;
  /// Those of them that flags set.
  std::set<std::string> flags;
};

/// How a command stands in the table; its file in commands/ defines it.
struct CommandEntry {
  std::string_view name;
  std::string_view summary;  // a line, for the list of commands
  std::string_view notes;    // below the options in its help; may be empty
  std::unique_ptr<Command> (*make)();
};

/// All commands in the order in which help lists them.
std::span<const CommandEntry* const> commands();

/// What runs where no command is named; not in the list.
extern const CommandEntry kStartCommand;

/// Makes a command of type T, for its entry.
template <class T>
std::unique_ptr<Command> make_command() {
  return std::make_unique<T>();
}

}  // namespace mote
