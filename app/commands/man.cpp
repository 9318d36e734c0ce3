// `mote man`: prints the manual page.
#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/manual.h"

namespace mote {
namespace {

class Man : public Command {
 public:
  void describe(OptionTable&) override {}
  void run(const GlobalOptions&) override { fmt::print("{}", manual_page(DescribedProgram())); }
};

}  // namespace

extern const CommandEntry kManCommand{
    "man", "print the manual page",
    "The page is in the form of mdoc(7): mote man >mote.1 && man ./mote.1 shows it.",
    make_command<Man>};

}  // namespace mote
