#include "app/viewer/actions/named_arguments.h"

#include <fmt/format.h>
#include <algorithm>

#include "app/viewer/view/frustum_marks.h"
#include "core/options.h"
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

const CameraSet& named_cameras(const Session& session, const Arguments& arguments, std::size_t i) {
  const std::vector<CameraSet>& sets = session.cameras;
  const std::string name = arguments.word(i);
  const auto found = std::find_if(sets.begin(), sets.end(),
                                  [&](const CameraSet& set) { return set.name == name; });
  if (found != sets.end()) return *found;
  if (name.find_first_not_of("0123456789") == std::string::npos) {
    const int place = arguments.whole(i);
    if (place >= 1 && static_cast<std::size_t>(place) <= sets.size()) {
      return sets[static_cast<std::size_t>(place - 1)];
    }
  }
  arguments.refuse(i, fmt::format("an open dataset's name, or a number from 1 to {}", sets.size()));
}

const CameraSet& meant_cameras(const Session& session, std::string_view action) {
  const CameraSet* set = shown_cameras(session);
  if (set == nullptr) {
    throw UsageError("no cameras are open", std::string(action),
                     "open a dataset or the folder of a run");
  }
  return *set;
}

std::uint32_t view_number(const CameraSet& set, const Arguments& arguments, std::size_t i) {
  const int place = arguments.whole(i);
  if (place < 1 || static_cast<std::size_t>(place) > set.views.size()) {
    arguments.refuse(i, fmt::format("a number from 1 to {}", set.views.size()));
  }
  return static_cast<std::uint32_t>(place - 1);
}

}  // namespace mote
