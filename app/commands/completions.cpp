// `mote completions SHELL`: prints the shell script that completes Mote's command line.
#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/shells/shells.h"

namespace mote {
namespace {

class Completions : public Command {
 public:
  void describe(OptionTable& table) override {
    std::vector<std::string> names;
    for (const Shell& shell : kShells) names.emplace_back(shell.name);
    table.add({.name = "shell",
               .target = &shell_,
               .help = "shell to write the script for",
               .choices = names,
               .placeholder = "SHELL",
               .positional = true,
               .required = true});
  }

  void run(const GlobalOptions&) override {
    const DescribedProgram program;
    for (const Shell& shell : kShells) {
      if (shell.name == shell_) fmt::print("{}", shell.script(program));
    }
  }

 private:
  std::string shell_;
};

}  // namespace

extern const CommandEntry kCompletionsCommand{
    "completions", "print the script for completion in a shell",
    R"(Packages install it. Without a package, add a line to the configuration of your shell. In
~/.bashrc: source <(mote completions bash). In ~/.zshrc, after compinit: source <(mote
completions zsh). In ~/.config/fish/config.fish: mote completions fish | source.)",
    make_command<Completions>};

}  // namespace mote
