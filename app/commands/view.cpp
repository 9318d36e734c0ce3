// `mote view [PATH]`: the viewer.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>

#include "app/command.h"
#include "app/gui/window.h"
#include "app/shared_options.h"
#include "app/viewer/action.h"
#include "app/viewer/script.h"
#include "app/viewer/seconds.h"
#include "app/viewer/session_report.h"
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
              .target = &path_,
              .help = "scene, dataset or folder of a training run",
              .placeholder = "PATH",
              .positional = true})
        .add({.name = "script",
              .target = &script_,
              .help = "do what the file says, one action a line",
              .placeholder = "FILE"})
        .add({.name = "offscreen",
              .target = &offscreen_,
              .help = "without a display: with --script, which may write screenshots"})
        .add({.name = "gpu",
              .target = &gpu_,
              .help = "what shows the window: auto, a number or a part of a name of mote devices"})
        .add({.name = "validation",
              .target = &validation_,
              .help = "let Khronos' validation layers watch Vulkan"})
        .add({.name = "size",
              .target = &size_,
              .help = "size of the picture",
              .unit = "px",
              .placeholder = "WxH"})
        .add({.name = "settings",
              .target = &settings_,
              .help = "folder of settings.json; mote in the user's configuration unless given",
              .placeholder = "DIR"})
        .add({.name = "actions",
              .target = &actions_,
              .help = "list the actions that scripts, keys and menus know"});
    describe_cpu_options(table, threads_, isa_);
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
    if (!script_.empty()) script = Script::read(script_);
    ViewerSetup setup;
    setup.backend = make_backend(globals.device, {.threads = threads_, .isa = isa_});
    setup.device = globals.device;
    setup.version = MOTE_VERSION;
    setup.settings_folder = settings_.empty() ? settings_folder() : fs::path(settings_);
    setup.seed = globals.seed;
    Viewer viewer(std::move(setup));
    if (!size_.empty()) {
      const ImageSize size = parse_image_size(size_, "--size");
      viewer.resize(size.width, size.height);
    }
    if (!path_.empty()) viewer.perform("open " + as_word(path_));
    if (offscreen_ && !script->uses_window()) {
      play(viewer, *script);
    } else {
      show(viewer, script ? &*script : nullptr);
    }
    if (globals.json) fmt::print("{}\n", session_json(viewer.session()));
  }

 private:
  /// Until the script is done and every file is written.
  static void play(Viewer& viewer, Script& script) {
    constexpr auto kPause = std::chrono::milliseconds(2);
    double last_s = now_s();
    while (!script.done() || viewer.session().saving) {
      throw_if_interrupted();
      const double time_s = now_s();
      viewer.update(time_s - last_s);
      last_s = time_s;
      script.step(viewer);
      std::this_thread::sleep_for(kPause);
    }
  }

  void show(Viewer& viewer, Script* script) const {
    const ViewerSettings& settings = viewer.session().settings();
    const ImageSize size = size_.empty() ? ImageSize{settings.width, settings.height}
                                         : parse_image_size(size_, "--size");
    gui::Window window(
        viewer,
        offscreen_ ? gui::make_offscreen_host(size.width, size.height)
                   : gui::open_window(size.width, size.height),
        {.gpu = gpu_, .validation = validation_, .script = script, .ends_with_script = offscreen_});
    window.run();
  }

  std::string path_, script_, size_, settings_, isa_, gpu_ = "auto";
  bool offscreen_ = false, actions_ = false, validation_ = false;
  int threads_ = 0;
};

}  // namespace

extern const CommandEntry kViewCommand{
    "view", "look at scenes and datasets, edit and train them",
    "A script is a text of one action a line, as --actions lists them, with `wait still`, `wait\n"
    "loaded`, `wait saved`, `wait measured`, `wait trained [N]`, `wait paused`, `wait frames N` "
    "and\n"
    "`wait seconds S` between them; '#' begins a remark. --json tells at its end what there was to "
    "be seen.",
    make_command<ViewScenes>};

}  // namespace mote
