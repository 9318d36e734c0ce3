#pragma once

#include <cmath>
#include <optional>

#include "app/gui/panel.h"

namespace mote::gui {

/// The time rounded to milliseconds, for keyframes placed by hand.
inline double to_ms(double time_s) {
  return std::round(1e3 * time_s) / 1e3;
}

/// A time axis with the path's keyframes, which can be clicked and dragged. A drag elsewhere moves
/// the current time.
class PathTimeline {
 public:
  void draw(const PanelContext& context);

 private:
  std::optional<std::size_t> dragged_;
  bool moved_ = false;  // the dragged keyframe has moved
  bool seeking_ = false;
};

}  // namespace mote::gui
