#pragma once

// One panel of the window. A panel reads the session and requests actions. It keeps only the state
// of its own widgets, such as a text being typed.

#include <memory>
#include <span>
#include <vector>

#include "app/gui/action_queue.h"
#include "app/gui/pictures.h"
#include "app/gui/places.h"
#include "app/gui/theme.h"
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

/// One panel of the window: its row in the table.
struct PanelRow {
  PanelEntry entry;
  const char* icon;  // from icons.h
  std::unique_ptr<Panel> (*make)();
};

/// All panels, in the order of the window. Menus, the rail, the drawer and the action `panel` use
/// this table.
std::span<const PanelRow> panel_table();
/// The entries of the table, for ViewerSetup.
std::vector<const PanelEntry*> panel_entries();

}  // namespace mote::gui
