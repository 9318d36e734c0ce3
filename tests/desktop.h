#pragma once

struct _XDisplay;

namespace mote {

/// A client of the X display beside the window, as its user's desktop is one.
class Desktop {
 public:
  /// Throws Error where there is no display.
  Desktop();
  ~Desktop();
  Desktop(const Desktop&) = delete;
  Desktop& operator=(const Desktop&) = delete;

  /// What desktops say of how dense the display is; 96 is ordinary.
  void set_dots_per_inch(int dots);
  /// Moves the pointer to a px of the only window.
  void point(int x, int y);
  /// Closes it, as the button in the corner of a window does.
  void close();

 private:
  unsigned long root() const;
  unsigned long window() const;

  _XDisplay* display_;
};

}  // namespace mote
