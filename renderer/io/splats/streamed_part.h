#pragma once

#include "io/splats/scene_format.h"
#include "io/splats/splat_stream.h"
#include "splats/life_range.h"
#include "splats/splat_cloud.h"

namespace mote {

/// The splats of all parts that are seen at some time of a range, and some others. Throws Error if
/// they cannot be read, or if there are none.
SplatCloud read_in_time(const SplatStream& stream, const LifeRange& range,
                        const ProgressCallback& progress = {});

}  // namespace mote
