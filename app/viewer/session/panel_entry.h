#pragma once

#include <span>
#include <string_view>

namespace mote {

/// Position of a panel in the window.
enum class PanelPlace { side, drawer };

/// Description of a panel for actions, without a window. The table of panels is app/gui/panel.cpp.
struct PanelEntry {
  std::string_view name;   // name in scripts
  std::string_view title;  // title on screen
  std::string_view help;   // a phrase
  PanelPlace place = PanelPlace::side;
};

/// Throws UsageError if no panel of the list has that name.
const PanelEntry& find_panel(std::span<const PanelEntry* const> panels, std::string_view name);

}  // namespace mote
