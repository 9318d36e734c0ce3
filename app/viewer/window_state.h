#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "app/viewer/keys.h"
#include "app/viewer/named_file.h"
#include "app/viewer/panel_list.h"
#include "app/viewer/presented_frames.h"

namespace mote {

enum class PointerButton { left, right, middle };

/// One thing that hands do to the window. Those of a script are the same as those of a mouse.
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
  /// Framebuffer px from the upper left; of scroll: steps to the right and up.
  double x = 0, y = 0;
  PointerButton button = PointerButton::left;
  Key key = 0;
  std::string text = {};                          // UTF-8
  std::vector<std::filesystem::path> paths = {};  // that were dropped
};

/// What the window is asked to do with itself.
struct WindowOrder {
  enum class Kind { resize, minimise, restore, full_screen };
  Kind kind = Kind::resize;
  int width = 0, height = 0;  // framebuffer px, of resize
};

/// What the window's frames cost its thread in all, ms; of the rendering only the upload of what
/// was rendered.
struct WindowCosts {
  std::uint64_t frames = 0;
  double layout_ms = 0;  // panels and input
  double upload_ms = 0;  // of the picture
  double draw_ms = 0;    // recording and handing over, waiting for the screen included
  // The longest turn of the thread, from one wait for input to the next: as a clock sees it, and
  // what of one was its own work. Drivers, the renderer and a busy machine have the rest.
  double longest_turn_ms = 0, longest_work_ms = 0;
  double longest_gap_ms = 0;  // between two frames, while something went on
  // What the thread has made and opened itself since the first frame, which others should.
  int pipelines = 0, files = 0;
};

/// How far a frame that was shown is behind the hands, in actions counted as Session::actions is.
struct ShownFrame {
  std::uint64_t before = 0;    // done before it: its panels show them
  std::uint64_t after = 0;     // done when its own input is answered, which is before the next one
  std::uint64_t asked = 0;     // that the renderer was asked to show
  std::uint64_t rendered = 0;  // that the newest finished picture shows
  std::uint64_t shown = 0;     // that the picture in the frame shows
};

/// A thing in the window that can be pointed at by the name it bears; framebuffer px.
struct NamedPlace {
  std::string name;
  float x = 0, y = 0, width = 0, height = 0;
};

/// What there is of a window: all of it that actions can change. The window itself takes the events
/// and the orders out.
struct WindowState {
  bool is_there = false;
  std::vector<InputEvent> events{};  // of scripts
  std::vector<WindowOrder> orders{};
  std::vector<NamedFile> screenshots{};  // of the window, to be written
  /// Of the last frame, while a script is at work: what stands in front comes later.
  std::vector<NamedPlace> places{};
  /// Frames that the window will draw before it has answered all input so far.
  int frames_due = 0;
  static constexpr int kFramesToSettle = 2;  // panels answer one frame later
  WindowCosts costs{};
  static constexpr std::size_t kMostShown = 512;
  std::deque<ShownFrame> shown{};  // the last frames, the newest at the end

  PresentedFrames presented{};
  double presented_fps = 0;  // frames shown a second, while something moves; 0: at rest

  const PanelEntry* side = nullptr;    // open at the left
  const PanelEntry* drawer = nullptr;  // open at the bottom
  bool view_only = false;              // everything else is hidden
  bool help = false;                   // the keys are shown
};

}  // namespace mote
