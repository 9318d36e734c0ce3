#pragma once

#include <cstdint>
#include <vector>

#include "splats/splat_cloud.h"

namespace mote {

/// The splats at a time, as splats that stand still: what a picture of that time shows. Splats that
/// do not live at that time are left out. Index i of `source`, if given, is the index of splat i in
/// the cloud.
SplatCloud moment_of(const SplatCloud& cloud, double time_s,
                     std::vector<std::uint32_t>* source = nullptr);

}  // namespace mote
