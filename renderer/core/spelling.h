#pragma once

#include <span>
#include <string>
#include <string_view>

namespace mote {

/// The name closest to a misspelt `word` by edit distance; empty where none is close enough.
std::string nearest_name(std::string_view word, std::span<const std::string> names);

/// "a, b or c".
std::string listed(std::span<const std::string> names);

}  // namespace mote
