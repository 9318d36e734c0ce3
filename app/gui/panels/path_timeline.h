#pragma once

#include <optional>

#include "app/gui/panel.h"

namespace mote::gui {

/// A time axis with the path's keyframes, which can be clicked and dragged. A drag elsewhere moves
/// the current time.
class PathTimeline {
 public:
  void draw(const PanelContext& context);

 private:
  std::optional<std::size_t> dragged_;
  bool seeking_ = false;
};

}  // namespace mote::gui
