#pragma once

// Opening the viewer: what `mote` and `mote view` share.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/command.h"
#include "app/gui/window.h"
#include "app/viewer/viewer.h"

namespace mote {

/// A viewer and how it is to be shown.
struct Viewing {
  std::string path = {};  // what to open first; empty: nothing
  std::string size = {};  // "WxH" as --size has it; empty: as the settings say
  std::string settings = {}, isa = {}, gpu = "auto";
  int threads = 0;
  bool offscreen = false, validation = false;
};

/// Throws Error, UsageError.
std::unique_ptr<Viewer> make_viewer(const Viewing& viewing, const GlobalOptions& globals);

/// The window over it, on a display or not. Throws Error, with the remedy, where there is no way to
/// show one.
std::unique_ptr<gui::Window> make_window(Viewer& viewer, const Viewing& viewing, Script* script);

/// The scene that comes with the program; none where its file is not found.
std::optional<std::filesystem::path> bundled_scene();

}  // namespace mote
