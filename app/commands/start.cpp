// `mote` without a command: what it found here and what to type next.
#include <fmt/format.h>

#include "app/command.h"

namespace mote {
namespace {

class Start : public Command {
 public:
  void describe(OptionTable&) override {}
  void run(const GlobalOptions&) override {
    fmt::print(
        "Mote {}\n\nType next:\n"
        "  mote info SCENE           what is in a splat scene (.ply, .compressed.ply, .spz)\n"
        "  mote convert SCENE OUT    write it in another format, moved or cut\n"
        "  mote --help               all commands and options\n",
        MOTE_VERSION);
  }
};

}  // namespace

extern const CommandEntry start_command{"start", "say hello", "", make_command<Start>};

}  // namespace mote
