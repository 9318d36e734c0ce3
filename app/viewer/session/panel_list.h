#pragma once

#include <span>
#include <string_view>

namespace mote {

/// Position of a panel in the window.
enum class PanelPlace { side, drawer };

/// Description of a panel, for actions and settings, without a window.
struct PanelEntry {
  std::string_view name;   // name in scripts
  std::string_view title;  // title on screen
  std::string_view help;   // a phrase
  PanelPlace place = PanelPlace::side;
};

/// All panels, in the order of the window.
std::span<const PanelEntry> panel_list();
/// Throws UsageError if no panel has that name.
const PanelEntry& find_panel(std::string_view name);

}  // namespace mote
