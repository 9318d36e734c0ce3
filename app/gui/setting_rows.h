#pragma once

#include <span>
#include <string_view>

#include "app/gui/panel.h"

namespace mote::gui {

/// Draws rows for some of the viewer's settings; a change takes effect at once.
void setting_rows(const PanelContext& context, std::span<const std::string_view> names);

}  // namespace mote::gui
