#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace mote {

inline bool is_control(char c) {
  return std::iscntrl(static_cast<unsigned char>(c)) != 0;
}

/// Whether a name has control characters, which would break the lines of messages and lists.
inline bool has_control_characters(std::string_view name) {
  return std::ranges::any_of(name, is_control);
}

/// The name with control characters replaced by \n, \t, \x1b and the like.
inline std::string printable(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == '\n') {
      text += "\\n";
    } else if (c == '\t') {
      text += "\\t";
    } else if (is_control(c)) {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace mote
