#pragma once

#include <cstdint>
#include <string>

#include "scene/dataset.h"

namespace mote {

/// How much of a photograph other cameras see. Occlusion is ignored.
struct ViewCoverage {
  std::size_t cameras = 0;  // number of training cameras that see at least half of it
  double seen = 0;          // fraction that two or more training cameras see
};

/// Follows rays of the photograph to the depth of the dataset's points in it, or without points to
/// the depth of the common focus. Counts the training cameras whose image contains these places.
ViewCoverage view_coverage(const Dataset& dataset, std::uint32_t photograph);

/// Whether too little of it is seen to learn anything for it.
bool is_little(const ViewCoverage& coverage);

/// "2 training cameras see half of it or more, 31 % of it is in two or more training photographs".
std::string coverage_text(const ViewCoverage& coverage);

}  // namespace mote
