#pragma once

// Arguments of actions that name something: an option, a dataset, a view, or a choice.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "app/viewer/session/action.h"
#include "app/viewer/session/session.h"
#include "core/options.h"
#include "core/spelling.h"
#include "splats/color_adjustment.h"

namespace mote {

/// Sets the option in "NAME=VALUE". Throws UsageError for an unknown name or an invalid value.
void set_named(const OptionTable& table, const std::string& text);

/// Adds the rows of a colour adjustment. The tint is a separate list.
void describe_color(OptionTable& table, ColorAdjustment& adjustment, std::vector<double>& tint);

/// The open dataset, or cameras of a run, named by word `i`, or its number from 1 in the order of
/// opening. Names have priority and are unique, so that a name from a panel is unambiguous. Throws
/// UsageError if there is none.
const CameraSet& named_cameras(const Session& session, const Arguments& arguments, std::size_t i);

/// The set used when none is named. Throws UsageError, which names `action`, if none is open.
const CameraSet& meant_cameras(const Session& session, std::string_view action);

/// The view number in word `i`, from 1 to the number of views, as an index from 0. Throws
/// UsageError for any other.
std::uint32_t view_number(const CameraSet& set, const Arguments& arguments, std::size_t i);

/// The enumeration value whose name is the argument; names are in the order of the values. Throws
/// UsageError, which lists the names, if there is none.
template <class Choice, std::size_t COUNT>
Choice choice_of(const Arguments& arguments, std::size_t i,
                 const std::array<std::string_view, COUNT>& names) {
  const auto found = std::find(names.begin(), names.end(), arguments.word(i));
  if (found == names.end()) {
    arguments.refuse(i, listed(std::vector<std::string>(names.begin(), names.end())));
  }
  return static_cast<Choice>(found - names.begin());
}

}  // namespace mote
