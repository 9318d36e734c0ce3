#pragma once

#include <memory>

#include "app/gui/panel.h"

namespace mote::gui {

// One a file of this folder.
std::unique_ptr<Panel> make_log_panel();

}  // namespace mote::gui
