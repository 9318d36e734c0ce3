#pragma once

#include <span>
#include <string_view>

#include "app/gui/panel.h"

namespace mote::gui {

/// Rows of some of the viewer's settings, each of which changes as soon as it is touched.
void setting_rows(const PanelContext& context, std::span<const std::string_view> names);

}  // namespace mote::gui
