#pragma once

#include "core/for_each_part.h"

namespace mote {

inline constexpr std::size_t kRayPart = 256, kSamplePart = 48 * 32;

}  // namespace mote
