#pragma once

#include <string>

#include "app/gui/panel.h"
#include "app/viewer/keys.h"
#include "app/viewer/view_tools.h"
#include "present/display_pass.h"

namespace mote::gui {

/// What mouse and keys do in the view: they become actions.
class ViewControls {
 public:
  /// `picture`: where the picture is shown in the window, framebuffer px.
  void update(const PanelContext& context, const present::Rectangle& picture);
  /// A key that moves the camera is held.
  bool flying() const { return flying_; }
  /// The chord is part of a flight, and no action's: Ctrl+Q is not while W or S is held, nor with a
  /// Ctrl that went down on the way.
  bool takes(const Chord& chord) const;
  const ViewTools& tools() const { return tools_; }
  /// The pointer is over the view, or drags in it.
  bool has_pointer() const { return over_view_ || drag_ != Drag::none; }

 private:
  enum class Drag { none, orbit, look, pan, tool };

  void begin(const PanelContext& context, const ViewPointer& pointer);
  void move_camera(const PanelContext& context, const present::Rectangle& picture);
  void go_on(const PanelContext& context, const ViewPointer& pointer,
             const present::Rectangle& picture);
  void fly(const PanelContext& context);

  ViewTools tools_;
  Drag drag_ = Drag::none;
  int button_ = 0;      // that drags
  bool moved_ = false;  // since it went down
  bool over_view_ = false;
  bool flying_ = false;
  bool control_flies_ = false;  // Ctrl went down during a flight, and was not let go since
  std::string fly_line_;
};

}  // namespace mote::gui
