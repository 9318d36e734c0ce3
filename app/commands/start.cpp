// `mote` without a command: what it found here and what to type next.
#include <fmt/format.h>

#include "app/command.h"
#include "backend/backend.h"
#include "core/machine.h"

namespace mote {
namespace {

class Start : public Command {
 public:
  void describe(OptionTable&) override {}
  void run(const GlobalOptions&) override {
    const Machine machine = this_machine();
    fmt::print("Mote {}: loads, renders and measures trained splat scenes\n\n", MOTE_VERSION);
    fmt::print("Found here  {}, {} memory\n", machine.cpu_model, bytes_text(machine.memory_bytes));
    for (const BackendEntry& entry : backends()) {
      const BackendProbe probe = entry.probe();
      fmt::print("            {}: {}{}\n", entry.name,
                 probe.usable ? "" : "not usable: ", probe.detail);
    }
    fmt::print(
        "\nType next   mote info SCENE                       what is in a scene\n"
        "            mote render SCENE --orbit 12 -o DIR   pictures all around it\n"
        "            mote bench SCENE                      frames per second at 4K\n"
        "            mote convert SCENE OUT.ply            another format, moved or cut\n"
        "            mote --help                           everything else\n\n"
        "A SCENE is a .ply, .compressed.ply or .spz of 3D Gaussian splats.\n");
  }
};

}  // namespace

extern const CommandEntry kStartCommand{"start", "say hello", "", make_command<Start>};

}  // namespace mote
