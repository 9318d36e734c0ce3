#pragma once

#include "app/gui/panel.h"

namespace mote::gui {

/// Draws a bar across the panel with the text in it; `fraction` is 0 to 1.
void progress_bar(const PanelContext& context, double fraction, const std::string& words);
/// The remaining time, such as "3 min 05 s left", from the elapsed time; empty while too little is
/// done.
std::string time_left(double done, double total, double seconds);

}  // namespace mote::gui
