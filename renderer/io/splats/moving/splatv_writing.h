#pragma once

#include <string>
#include <vector>

#include "io/splats/scene_format.h"

namespace mote::splatv {

/// Writes splats with any motion. Warnings name what the format cannot hold: harmonics above degree
/// 0, colours beyond black and white, times of full opacity, values beyond the range of halves.
std::vector<std::string> write(const SplatCloud& cloud, OutputFile& file,
                               const ProgressCallback& progress);

}  // namespace mote::splatv
