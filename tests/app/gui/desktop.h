#pragma once

struct _XDisplay;

namespace mote {

/// An X client next to the window that acts as the user's desktop.
class Desktop {
 public:
  /// Throws Error if there is no display.
  Desktop();
  ~Desktop();
  Desktop(const Desktop&) = delete;
  Desktop& operator=(const Desktop&) = delete;

  /// Sets the display's resolution as desktops announce it; 96 is standard.
  void set_dots_per_inch(int dots);
  /// Moves the pointer to a pixel of the only window.
  void point(int x, int y);
  /// Sends the close request of the window's corner button.
  void close();

 private:
  unsigned long root() const;
  unsigned long window() const;

  _XDisplay* display_;
};

}  // namespace mote
