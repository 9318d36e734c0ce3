#include "app/viewer/actions/named_values.h"

#include <fmt/format.h>

#include "core/spelling.h"

namespace mote {

void set_named(const OptionTable& table, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    throw UsageError(fmt::format("'{}' names no value", text), "NAME=VALUE", "write NAME=VALUE");
  }
  const std::string name = text.substr(0, equals);
  const Option* option = table.find(name);
  if (option == nullptr) {
    std::vector<std::string> names;
    for (const Option& known : table.options()) names.push_back(known.name);
    const std::string meant = nearest_name(name, names);
    throw UsageError(
        fmt::format("there is no option '{}'", name), "NAME=VALUE",
        meant.empty() ? "name one of " + listed(names) : fmt::format("did you mean '{}'?", meant));
  }
  set_option(*option, text.substr(equals + 1));
}

void describe_color(OptionTable& table, ColorAdjustment& adjustment, std::vector<double>& tint) {
  table
      .add({.name = "exposure",
            .target = &adjustment.exposure,
            .help = "brighter or darker",
            .unit = "stops",
            .minimum = -10,
            .maximum = 10})
      .add({.name = "contrast",
            .target = &adjustment.contrast,
            .help = "about middle grey",
            .minimum = 0,
            .maximum = 4})
      .add({.name = "saturation",
            .target = &adjustment.saturation,
            .help = "0 is grey",
            .minimum = 0,
            .maximum = 4})
      .add({.name = "tint",
            .target = &tint,
            .help = "factors of red, green and blue",
            .minimum = 0,
            .maximum = 4,
            .length = 3});
}

}  // namespace mote
