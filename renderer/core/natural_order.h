#pragma once

#include <string_view>

namespace mote {

/// Whether `a` comes before `b` in natural order: runs of digits compare as numbers, so "img_2"
/// comes before "img_10". Names that differ only in leading zeros are ordered by their bytes.
bool naturally_before(std::string_view a, std::string_view b);

}  // namespace mote
