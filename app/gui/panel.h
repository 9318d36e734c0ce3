#pragma once

// One part of the control panel. A panel reads the session and asks for actions; what it keeps is
// small and of its own widgets alone, such as a text that is being typed.

#include <memory>

#include "app/gui/action_queue.h"
#include "app/gui/pictures.h"
#include "app/gui/places.h"
#include "app/gui/theme.h"
#include "app/viewer/panel_list.h"
#include "app/viewer/session.h"

namespace mote::gui {

/// What a panel may use while it draws itself into the ImGui window that is open.
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

/// The panel of an entry of panel_list(); null where the window has none.
std::unique_ptr<Panel> make_panel(const PanelEntry& entry);
/// Its icon, of icons.h.
const char* panel_icon(const PanelEntry& entry);

}  // namespace mote::gui
