#pragma once

#include "app/gui/panel.h"
#include "app/viewer/view/view_tools.h"

namespace mote::gui {

/// Draws a tooltip for the camera under the pointer: its photograph's thumbnail and name.
void draw_mark_tooltip(const PanelContext& context, const ViewTools& tools);

}  // namespace mote::gui
