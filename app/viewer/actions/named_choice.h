#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "app/viewer/session/action.h"
#include "core/spelling.h"

namespace mote {

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
