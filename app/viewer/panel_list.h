#pragma once

#include <span>
#include <string_view>

namespace mote {

/// Where a panel stands in the window.
enum class PanelPlace { side, drawer };

/// What is known of a panel without a window, so that actions and settings can name it.
struct PanelEntry {
  std::string_view name;   // as scripts write it
  std::string_view title;  // as people read it
  std::string_view help;   // a phrase
  PanelPlace place = PanelPlace::side;
};

/// All of them, in the order in which they stand in the window.
std::span<const PanelEntry> panel_list();
/// Throws UsageError where there is none of that name.
const PanelEntry& find_panel(std::string_view name);

}  // namespace mote
