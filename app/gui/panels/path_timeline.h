#pragma once

#include <optional>

#include "app/gui/panel.h"

namespace mote::gui {

/// The path's time from left to right with its keyframes, which can be clicked and dragged along
/// it; dragging elsewhere moves the place on the path.
class PathTimeline {
 public:
  void draw(const PanelContext& context);

 private:
  std::optional<std::size_t> dragged_;
  bool seeking_ = false;
};

}  // namespace mote::gui
