#pragma once

// What the window stands in: a window system, or nothing that anybody sees.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/viewer/window_state.h"
#include "present/surface.h"

namespace mote::gui {

/// The shapes that the pointer takes.
enum class Cursor { arrow, text, resize_across, resize_along, hand, cross };

/// One thread's, that of the window. Sizes are in framebuffer px.
class Host {
 public:
  virtual ~Host() = default;

  /// Waits up to `wait_s` for something to happen, and adds what hands did since the last call.
  virtual void poll(double wait_s, std::vector<InputEvent>& events) = 0;
  /// 0 while nothing of it can be seen.
  virtual int width() const = 0;
  virtual int height() const = 0;
  /// Framebuffer px that stand for one of an ordinary display.
  virtual float scale() const = 0;
  virtual bool is_full_screen() const = 0;
  /// The user wants it closed; asked once, told once.
  virtual bool take_close() = 0;
  virtual void obey(const WindowOrder& order) = 0;
  virtual void set_title(const std::string& title) = 0;
  virtual void set_cursor(Cursor cursor) = 0;
  virtual void set_clipboard(const std::string& text) = 0;
  virtual std::string clipboard() = 0;
  /// For the presenter; none offscreen.
  virtual std::optional<present::WindowSystem> window_system() = 0;
};

/// A window of this size. Throws Error, with the remedy, where there is no display or it cannot
/// show Vulkan's images.
std::unique_ptr<Host> open_window(int width, int height);
/// Whether open_window() would find a display.
bool has_display();
/// A window that only scripts see.
std::unique_ptr<Host> make_offscreen_host(int width, int height);

}  // namespace mote::gui
