#pragma once

#include "app/gui/panel.h"

namespace mote::gui {

/// One button of a row, of which one or several are chosen; returns true if clicked. `width` in px.
bool choice_button(const PanelContext& context, const char* label, bool chosen, float width);

/// Width of each of `count` buttons that fill the row, with gaps of choice_gap().
float choice_width(const PanelContext& context, std::size_t count);
float choice_gap(const PanelContext& context);

}  // namespace mote::gui
