#pragma once

#include <cstdint>
#include <string>

#include "scene/dataset.h"

namespace mote {

/// The part of a photograph that other cameras see. Occlusion is ignored.
struct ViewCoverage {
  std::size_t cameras = 0;  // number of training cameras that see at least half of it
  double seen = 0;          // fraction that two or more training cameras see
};

/// Follows rays of the photograph to the depth of the dataset's points in it. Without points, the
/// depth is that of the common focus. Counts the training cameras whose image contains the ends of
/// the rays.
ViewCoverage view_coverage(const Dataset& dataset, std::uint32_t photograph);

/// Whether other cameras see too little of the photograph to learn its content.
bool is_little(const ViewCoverage& coverage);

/// Text such as "2 training cameras see at least half of it, and 31 % of it is in two or more
/// training photographs".
std::string coverage_text(const ViewCoverage& coverage);

}  // namespace mote
