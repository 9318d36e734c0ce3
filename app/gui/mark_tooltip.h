#pragma once

#include "app/gui/panel.h"
#include "app/viewer/view_tools.h"

namespace mote::gui {

/// What is known of the camera under the pointer: its photograph, small, and its name.
void draw_mark_tooltip(const PanelContext& context, const ViewTools& tools);

}  // namespace mote::gui
