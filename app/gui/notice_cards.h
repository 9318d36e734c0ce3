#pragma once

#include <cstdint>

#include "app/gui/panel.h"
#include "present/display_pass.h"

namespace mote::gui {

/// The newest notices as cards at the view's lower right. Those that only tell something go by
/// themselves; warnings and errors stay until they are dismissed.
class NoticeCards {
 public:
  void draw(const PanelContext& context, const present::Rectangle& view);
  /// One of them will go.
  bool moving() const { return moving_; }

 private:
  /// The upper end of what was drawn.
  float draw_card(const PanelContext& context, const Notice& notice, ImVec2 lower_right,
                  float width);

  bool moving_ = false;
};

}  // namespace mote::gui
