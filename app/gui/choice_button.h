#pragma once

#include "app/gui/panel.h"

namespace mote::gui {

/// One of several buttons beside each other, of which one or some are chosen; true where it is
/// clicked. `width` in px.
bool choice_button(const PanelContext& context, const char* label, bool chosen, float width);

/// How wide each of `count` such buttons is that fill the row, with gaps of choice_gap().
float choice_width(const PanelContext& context, std::size_t count);
float choice_gap(const PanelContext& context);

}  // namespace mote::gui
