#pragma once

#include "app/gui/panel.h"

namespace mote::gui {

/// Which dataset's photographs are meant, where more than one is open; nothing else. `width` in px.
void camera_set_choice(const PanelContext& context, float width);

}  // namespace mote::gui
