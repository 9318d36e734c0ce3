#pragma once

// The environment of the window: a window system, or an offscreen surface.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/viewer/session/window_state.h"
#include "present/surface.h"

namespace mote::gui {

/// Cursor shapes.
enum class Cursor { arrow, text, resize_across, resize_along, hand, cross };

/// A window of the system. Only the window's thread may use it. Sizes are in framebuffer pixels.
class Host {
 public:
  virtual ~Host() = default;

  /// Waits up to `wait_s` for an event, and appends the input events since the last call.
  virtual void poll(double wait_s, std::vector<InputEvent>& events) = 0;
  /// 0 while the window is not visible.
  virtual int width() const = 0;
  virtual int height() const = 0;
  /// Framebuffer pixels per pixel of a standard display.
  virtual float scale() const = 0;
  virtual bool is_full_screen() const = 0;
  /// Whether the user has requested to close the window since the last call.
  virtual bool take_close() = 0;
  virtual void obey(const WindowOrder& order) = 0;
  virtual void set_title(const std::string& title) = 0;
  virtual void set_cursor(Cursor cursor) = 0;
  virtual void set_clipboard(const std::string& text) = 0;
  virtual std::string clipboard() = 0;
  /// For the presenter; empty for an offscreen host.
  virtual std::optional<present::WindowSystem> window_system() = 0;
};

/// Opens a window of this size. Throws Error, with the remedy, if there is no display or it cannot
/// show Vulkan images.
std::unique_ptr<Host> open_window(int width, int height);
/// Whether there is a display for open_window().
bool has_display();
/// An offscreen window, used by scripts only.
std::unique_ptr<Host> make_offscreen_host(int width, int height);

}  // namespace mote::gui
