#include "app/gui/setting_rows.h"

#include "app/gui/widgets.h"

namespace mote::gui {

void setting_rows(const PanelContext& context, std::span<const std::string_view> names) {
  ViewerSettings usual, now = context.session.settings();
  OptionTable defaults, values;
  usual.describe(defaults);
  now.describe(values);
  for (const std::string_view name : names) {
    const Option* option = defaults.find(name);
    const Option* value = values.find(name);
    if (option == nullptr || value == nullptr) continue;
    std::string text = option_text(*value);
    if (option_row(context, *option, text)) context.actions.add("set", name, text);
  }
}

}  // namespace mote::gui
