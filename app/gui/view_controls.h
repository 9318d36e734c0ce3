#pragma once

#include "app/gui/panel.h"
#include "app/viewer/session/keys.h"
#include "app/viewer/view/view_tools.h"
#include "present/display_pass.h"

namespace mote::gui {

/// Translates mouse and keyboard input in the view into actions.
class ViewControls {
 public:
  /// Requests the flight of the keys that are held.
  void take_keys(const PanelContext& context);
  /// Handles the mouse. `picture`: the picture's rectangle in the window, framebuffer px.
  void update(const PanelContext& context, const present::Rectangle& picture);
  /// Whether a key that moves the camera is held.
  bool flying() const { return flying_; }
  /// Whether the chord's key moves the camera instead of calling an action. Ctrl+Q does so while W
  /// or S is held, or if Ctrl was pressed during the flight.
  bool takes(const Chord& chord) const;
  const ViewTools& tools() const { return tools_; }
  /// Whether the pointer is over the view, or drags in it.
  bool has_pointer() const { return over_view_ || drag_ != Drag::none; }

 private:
  enum class Drag { none, orbit, look, pan, tool };

  void begin(const PanelContext& context, const ViewPointer& pointer);
  void take_outline_keys(const PanelContext& context);
  void move_camera(const PanelContext& context, const present::Rectangle& picture);
  void go_on(const PanelContext& context, const ViewPointer& pointer,
             const present::Rectangle& picture);

  ViewTools tools_;
  Drag drag_ = Drag::none;
  int button_ = 0;      // the button of the drag
  bool moved_ = false;  // moved since the button was pressed
  bool over_view_ = false;
  bool flying_ = false;
  bool control_flies_ = false;  // Ctrl was pressed during a flight and is still held
  ActionCall fly_;              // the flight that was requested; without an action: none
};

}  // namespace mote::gui
