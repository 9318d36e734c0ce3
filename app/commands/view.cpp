// `mote view [PATH]`: opens the viewer.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>

#include "app/cli/command.h"
#include "app/commands/viewing.h"
#include "app/jobs/shared_options.h"
#include "app/viewer/script.h"
#include "app/viewer/session/action.h"
#include "app/viewer/session_report.h"
#include "app/viewer/workers/seconds.h"
#include "core/interrupt.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

void print_actions() {
  std::string_view group;
  for (const Action& action : actions()) {
    if (action.group != group) fmt::print("{}{}\n", group.empty() ? "" : "\n", action.group);
    group = action.group;
    std::string call(action.name);
    for (const ActionArgument& argument : action.arguments) {
      call += fmt::format(fmt::runtime(argument.optional ? " [{}{}]" : " {}{}"), argument.name,
                          argument.repeated ? " ..." : "");
    }
    fmt::print("  {:<34} {}{}\n", call, action.help,
               action.key.empty() ? "" : fmt::format(" ({})", action.key));
  }
}

class ViewScenes : public Command {
 public:
  void describe(OptionTable& table) override {
    table
        .add({.name = "path",
              .target = &paths_,
              .help = "scenes, datasets, projects, folders of training runs or of frames",
              .placeholder = "PATH",
              .positional = true})
        .add({.name = "script",
              .target = &script_,
              .help = "run the actions in the file, one per line",
              .placeholder = "FILE"})
        .add({.name = "offscreen",
              .target = &offscreen_,
              .help = R"(run without a display; needs --script, which can write screenshots)"})
        .add({.name = "gpu",
              .target = &viewing_.gpu,
              .help =
                  R"(GPU for the window: auto, or a number or part of a name from mote devices)"})
        .add({.name = "validation",
              .target = &viewing_.validation,
              .help = "check Vulkan calls with the Khronos validation layers"})
        .add({.name = "size",
              .target = &viewing_.size,
              .help = "size of the picture",
              .unit = "px",
              .placeholder = "WxH"})
        .add(
            {.name = "settings",
             .target = &viewing_.settings,
             .help = R"(folder of settings.json; default: mote in the user's configuration folder)",
             .placeholder = "DIR"})
        .add({.name = "actions",
              .target = &actions_,
              .help = "list the actions of scripts, keys and menus"});
    describe_stream_memory(table, viewing_.memory_gb);
    describe_cpu_options(table, viewing_.threads, viewing_.isa);
  }

  void run(const GlobalOptions& globals) override {
    if (actions_) {
      print_actions();
      return;
    }
    if (offscreen_ && script_.empty()) {
      throw UsageError("is needed to run without a display", "--script",
                       "give --offscreen --script FILE");
    }
    std::optional<Script> script;
    if (!script_.empty()) {
      script = Script::read(script_, globals.yes ? Existing::replace : Existing::keep);
    }
    viewing_.offscreen = offscreen_;
    const auto viewer = make_viewer(viewing_, globals);
    const bool windowed = !offscreen_ || script->uses_window();
    std::unique_ptr<gui::Window> window;
    if (windowed) window = make_window(*viewer, viewing_, script ? &*script : nullptr);
    for (const std::string& path : paths_) viewer->perform({"open", path});
    if (windowed) {
      window->run();
      const auto validation = window->validation();
      window.reset();
      if (validation->count() > 0) {
        throw Error(validation->texts().front(), "Vulkan",
                    "this is a fault of Mote: please report it");
      }
    } else {
      play(*viewer, *script);
    }
    if (globals.json) fmt::print("{}\n", session_json(viewer->session()));
    const std::uint64_t faults = viewer->session().notices.errors();
    if (offscreen_ && faults > 0) {
      throw Error(fmt::format("{} of its actions failed", faults), script_,
                  "see the messages above");
    }
  }

 private:
  /// Runs the viewer until the script is done and its last line has had its effect.
  static void play(Viewer& viewer, Script& script) {
    constexpr auto kPause = std::chrono::milliseconds(2);
    double last_s = now_s();
    bool all_seen = false;  // the last update came after the last line
    while (!all_seen || Script::has_pending_effects(viewer.session())) {
      throw_if_interrupted();
      all_seen = script.done();
      const double time_s = now_s();
      viewer.update(time_s - last_s);
      last_s = time_s;
      script.step(viewer);
      std::this_thread::sleep_for(kPause);
    }
  }

  Viewing viewing_;
  std::vector<std::string> paths_;
  std::string script_;
  bool offscreen_ = false, actions_ = false;
};

}  // namespace

extern const CommandEntry kViewCommand{
    "view", "view, edit and train scenes and datasets",
    R"(A script has one action per line (see --actions), and waits between them: `wait still`, `wait
loaded`, `wait saved`, `wait measured`, `wait imported`, `wait trained [N]`, `wait paused`, `wait
frames N` and `wait seconds S`. '#' begins a comment. --json prints the state of the session at the
end.)",
    make_command<ViewScenes>};

}  // namespace mote
