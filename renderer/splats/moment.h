#pragma once

#include <cstdint>
#include <vector>

#include "splats/motions/slice_query.h"
#include "splats/splat_cloud.h"

namespace mote {

/// The splats of a slice, as splats that stand still: what a picture at that time from that place
/// shows. Splats that cannot be seen are left out. Index i of `source`, if given, is the index of
/// splat i in the cloud.
SplatCloud slice_of(const SplatCloud& cloud, const SliceQuery<double>& query,
                    std::vector<std::uint32_t>* source = nullptr);

/// The same at a time. CHECKs that the splats do not depend on the direction.
SplatCloud moment_of(const SplatCloud& cloud, double time_s,
                     std::vector<std::uint32_t>* source = nullptr);

}  // namespace mote
