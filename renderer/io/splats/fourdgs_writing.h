#pragma once

#include <string>
#include <vector>

#include "core/file.h"
#include "io/splats/scene_format.h"

namespace mote::fourdgs {

/// Writes the splats in chunks of lives that are seen in the same segment of the time tree
/// (splats/time_segment.h), each life whole in one chunk. Returns warnings. Throws Error where a
/// number is too large for the format.
std::vector<std::string> write_scene(const SplatCloud& cloud, OutputFile& file,
                                     const ProgressCallback& progress);

}  // namespace mote::fourdgs
