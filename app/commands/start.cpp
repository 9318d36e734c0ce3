// `mote` without a command: opens the viewer. Without a display it describes the machine and prints
// commands to try next.
#include <fmt/format.h>

#include <system_error>

#include "app/cli/command.h"
#include "app/commands/viewing.h"
#include "app/gui/host.h"
#include "app/jobs/inputs.h"
#include "backend/backend.h"
#include "core/machine.h"
#include "devices/devices.h"
#include "io/splats/format_lists.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

/// `why`: the reason why there is no window.
void print_next_steps(const std::string& why) {
  const Machine machine = this_machine();
  fmt::print("Mote {}: trains, shows, edits and measures radiance fields\n\n", MOTE_VERSION);
  fmt::print("No window   {}\n", why);
  fmt::print("Machine     {}, {} memory\n", machine.cpu_model, bytes_text(machine.memory_bytes));
  for (const BackendEntry& entry : backends()) {
    const BackendProbe probe = entry.probe();
    fmt::print("            {}: {}{}\n", entry.name,
               probe.usable ? "" : "not usable: ", probe.detail);
  }
  fmt::print(
      "\nNext steps  mote info SCENE                       describe a scene\n"
      "            mote render SCENE --orbit 12 -o DIR   render pictures around it\n"
      "            mote train DATASET -o DIR             train one on photographs with poses\n"
      "            mote bench SCENE                      measure its frame rate at 4K\n"
      "            mote convert SCENE OUT.ply            convert, move or crop it\n"
      "            mote --help                           list all commands\n\n"
      "A SCENE is a {}.\n",
      formats_with_models());
}

/// The scene opened last, or the bundled one; empty if neither exists.
std::string first_scene(const Session& session) {
  std::error_code ignored;
  for (const fs::path& path : session.file.recent()) {
    if (fs::exists(path, ignored)) return path.string();
  }
  const auto bundled = bundled_scene();
  return bundled ? bundled->string() : "";
}

class Start : public Command {
 public:
  void describe(OptionTable&) override {}
  void run(const GlobalOptions& globals) override {
    if (!gui::has_display()) {
      print_next_steps("there is no display; mote view --offscreen runs scripts");
      return;
    }
    const Viewing viewing;
    const auto viewer = make_viewer(viewing, globals);
    std::unique_ptr<gui::Window> window;
    try {
      window = make_window(*viewer, viewing, nullptr);
    } catch (const Error& error) {
      print_next_steps(error.what());
      return;
    }
    const std::string scene = first_scene(viewer->session());
    const bool offers = viewer->session().project.offered;  // a project to open instead
    if (!scene.empty() && !offers) viewer->act({"open", scene});
    window->run();
  }
};

}  // namespace

extern const CommandEntry kStartCommand{"start", "open the viewer", "", make_command<Start>};

}  // namespace mote
