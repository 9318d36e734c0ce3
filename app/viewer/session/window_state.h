#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/viewer/session/keys.h"
#include "app/viewer/session/presented_frames.h"
#include "core/file.h"

namespace mote {

enum class PointerButton { left, right, middle };

/// An input event of the window, from a script or from the user's devices.
struct InputEvent {
  enum class Kind {
    pointer_move,
    button_press,
    button_release,
    scroll,
    key_press,
    key_release,
    text,
    drop
  };
  Kind kind = Kind::pointer_move;
  /// Framebuffer pixels from the upper left; for scroll: steps to the right and up.
  double x = 0, y = 0;
  PointerButton button = PointerButton::left;
  Key key = 0;
  std::string text = {};                          // UTF-8
  std::vector<std::filesystem::path> paths = {};  // dropped paths
};

/// A request to the window.
struct WindowOrder {
  enum class Kind { resize, minimise, restore, full_screen };
  Kind kind = Kind::resize;
  int width = 0, height = 0;  // framebuffer pixels, for resize
};

/// Cost of the window's frames for its thread, ms. Rendering counts only by the upload of its
/// result.
struct WindowCosts {
  std::uint64_t frames = 0;
  double layout_ms = 0;  // panels and input
  double upload_ms = 0;  // of the picture
  double draw_ms = 0;    // recording and presenting, with the wait for the screen
  // The longest cycle of the thread, from one wait for input to the next: its wall-clock time, and
  // the part that was its own work. The rest is drivers, the renderer and other processes.
  double longest_turn_ms = 0, longest_work_ms = 0;
  double longest_gap_ms = 0;  // between two frames, while something changed
  // Pipelines made and files opened by this thread since the first frame; other threads should do
  // both.
  int pipelines = 0, files = 0;
};

/// Delay of a shown frame behind the input, in numbers of actions as in Session::actions.
struct ShownFrame {
  std::uint64_t before = 0;    // actions done before its layout, which its panels show
  std::uint64_t after = 0;     // actions done once its own input is handled, before the next
  std::uint64_t asked = 0;     // included in the newest request to the renderer
  std::uint64_t rendered = 0;  // included in the newest finished picture
  std::uint64_t shown = 0;     // included in the picture of the frame
};

/// A named element of the window that scripts can point at; framebuffer pixels.
struct NamedPlace {
  std::string name;
  float x = 0, y = 0, width = 0, height = 0;
  bool control = false;  // the keyboard can go there
  bool focused = false;  // it has the keyboard
};

/// An output file named as an argument of an action.
struct NamedFile {
  std::filesystem::path path;
  Existing existing = Existing::replace;  // what to do with an existing file of that name
};

/// Position of a panel in the window.
enum class PanelPlace { side, drawer };

/// Description of a panel for actions, without a window. The table of panels is
/// app/gui/panels/panels.cpp.
struct PanelEntry {
  std::string_view name;   // name in scripts
  std::string_view title;  // title on screen
  std::string_view help;   // a phrase
  PanelPlace place = PanelPlace::side;
};

/// State of the window that actions can change. The window consumes the events and the requests.
struct WindowState {
  bool is_there = false;
  std::vector<InputEvent> events{};  // from scripts
  std::vector<WindowOrder> orders{};
  std::vector<NamedFile> screenshots{};  // screenshots of the window, to be written
  /// Elements of the last frame, in drawing order from back to front; only while a script runs.
  std::vector<NamedPlace> places{};
  /// Number of frames that the window still draws before it has handled all input so far.
  int frames_due = 0;
  static constexpr int kFramesToSettle = 2;  // panels answer one frame later
  WindowCosts costs{};
  static constexpr std::size_t kMostShown = 512;
  std::deque<ShownFrame> shown{};  // the last frames, the newest at the end

  PresentedFrames presented{};
  double presented_fps = 0;  // shown frames per second while something moves; 0: at rest

  const PanelEntry* side = nullptr;    // open panel at the left
  const PanelEntry* drawer = nullptr;  // open panel at the bottom
  bool view_only = false;              // everything but the view is hidden
  bool help = false;                   // the list of keys is shown
  int menu_requests = 0;               // how often the first menu was to be opened
  int part_steps = 0;                  // how often the keyboard was to go to the next part
  int pointer_requests = 0;            // how often keys were to begin or end moving the pointer
};

}  // namespace mote
