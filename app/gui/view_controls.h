#pragma once

#include "app/gui/panel.h"
#include "present/display_pass.h"

namespace mote::gui {

/// What mouse and keys do in the view: they become actions.
class ViewControls {
 public:
  /// `area`: the view's part of the window, framebuffer px.
  void update(const PanelContext& context, const present::Rectangle& area);
  /// A key that moves the camera is held.
  bool flying() const { return flying_; }

 private:
  void drag(const PanelContext& context, const present::Rectangle& area);
  void use_tool(const PanelContext& context, const present::Rectangle& area);
  void fly(const PanelContext& context);

  enum class Drag { none, orbit, look, pan, tool };
  Drag drag_ = Drag::none;
  int button_ = 0;  // that drags
  ImVec2 start_{};  // where the drag began
  std::vector<ImVec2> stroke_;
  bool flying_ = false;
  std::string fly_line_;
};

}  // namespace mote::gui
