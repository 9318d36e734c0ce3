#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace mote {

/// The name closest to a misspelt `word` by edit distance; empty where none is close enough.
std::string nearest_name(std::string_view word, std::span<const std::string> names);

/// "a, b or c".
std::string listed(std::span<const std::string> names);

/// The number with its noun: "1 frame", "12 frames". `noun`: in the singular; its plural ends in s.
std::string number_of(std::uint64_t count, std::string_view noun);

/// The text with the letters A to Z in lower case, whatever the locale.
std::string lower_case(std::string_view text);

/// The extension of a file in lower case, with its dot: ".png".
std::string lower_extension(const std::filesystem::path& file);

}  // namespace mote
