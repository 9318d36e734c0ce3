#pragma once

#include <array>
#include <string_view>

namespace mote {

/// Names of the values of Tool and Compare, in their order. Actions use them as they are; the
/// screen shows them capitalised.
inline constexpr std::array<std::string_view, 4> kToolNames{"navigate", "rectangle", "brush",
                                                            "box"};
inline constexpr std::array<std::string_view, 4> kCompareNames{"off", "split", "flicker",
                                                               "difference"};

}  // namespace mote
