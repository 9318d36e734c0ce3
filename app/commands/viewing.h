#pragma once

// Opens the viewer, for `mote` and `mote view`.

#include <memory>
#include <string>

#include "app/cli/command.h"
#include "app/gui/window.h"
#include "app/viewer/viewer.h"

namespace mote {

/// Options for opening the viewer.
struct Viewing {
  std::string size = {};  // "WxH" as in --size; empty: from the settings
  std::string settings = {}, isa = {}, gpu = "auto";
  int threads = 0;
  double memory_gb = 0;
  bool offscreen = false, validation = false;
};

/// Throws Error or UsageError.
std::unique_ptr<Viewer> make_viewer(const Viewing& viewing, const GlobalOptions& globals);

/// Creates the viewer's window, on a display or offscreen. Throws Error, with the remedy, if that
/// is not possible.
std::unique_ptr<gui::Window> make_window(Viewer& viewer, const Viewing& viewing, Script* script);

}  // namespace mote
