#pragma once

#include <cstdint>

#include "app/gui/panel.h"
#include "present/display_pass.h"

namespace mote::gui {

/// The newest notices as cards at the view's lower right. Information disappears after a while;
/// warnings and errors stay until dismissed.
class NoticeCards {
 public:
  void draw(const PanelContext& context, const present::Rectangle& view);
  /// Whether a card will disappear.
  bool moving() const { return moving_; }

 private:
  /// Returns the upper end of the card.
  float draw_card(const PanelContext& context, const Notice& notice, ImVec2 lower_right,
                  float width);

  bool moving_ = false;
};

}  // namespace mote::gui
