#pragma once

#include "app/gui/panel.h"

namespace mote::gui {

/// A bar that is as wide as the panel, the words in it; `fraction` 0 to 1.
void progress_bar(const PanelContext& context, double fraction, const std::string& words);
/// "3 min 05 s left" by the time that the part which is done has taken; empty while too little is.
std::string time_left(double done, double total, double seconds);

}  // namespace mote::gui
