#include "app/viewer/session/panel_entry.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/options.h"
#include "core/spelling.h"

namespace mote {

const PanelEntry& find_panel(std::span<const PanelEntry* const> panels, std::string_view name) {
  std::vector<std::string> names;
  for (const PanelEntry* panel : panels) {
    if (panel->name == name) return *panel;
    names.emplace_back(panel->name);
  }
  throw UsageError(fmt::format("'{}' is not a panel", name), "panel",
                   names.empty() ? "this viewer has no window" : "name one of " + listed(names));
}

}  // namespace mote
