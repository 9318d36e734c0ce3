#pragma once

#include "app/gui/panel.h"

namespace mote::gui {

/// Lets the user choose one of several open datasets; draws nothing for a single one. `width` in
/// px.
void camera_set_choice(const PanelContext& context, float width);

}  // namespace mote::gui
