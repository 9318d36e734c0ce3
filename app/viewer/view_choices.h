#pragma once

#include <array>
#include <string_view>

namespace mote {

/// The values of Tool and Compare, in their order: as actions have them, and capitalised on screen.
inline constexpr std::array<std::string_view, 4> kToolNames{"navigate", "rectangle", "brush",
                                                            "box"};
inline constexpr std::array<std::string_view, 4> kCompareNames{"off", "split", "flicker",
                                                               "difference"};

}  // namespace mote
