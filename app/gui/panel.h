#pragma once

// One panel of the window. A panel reads the session and requests actions. It keeps only the state
// of its own widgets, such as a text being typed.

#include <memory>

#include "app/gui/action_queue.h"
#include "app/gui/pictures.h"
#include "app/gui/places.h"
#include "app/gui/theme.h"
#include "app/viewer/session/panel_list.h"
#include "app/viewer/session/session.h"

namespace mote::gui {

/// Context of a panel that draws into the current ImGui window.
struct PanelContext {
  const Session& session;
  ActionQueue& actions;
  Pictures& pictures;
  const Theme& theme;
  Places& places;
};

class Panel {
 public:
  virtual ~Panel() = default;
  virtual void draw(const PanelContext& context) = 0;
};

/// Creates the panel for an entry of panel_list(); null if the window does not have it.
std::unique_ptr<Panel> make_panel(const PanelEntry& entry);
/// The panel's icon, from icons.h.
const char* panel_icon(const PanelEntry& entry);

}  // namespace mote::gui
