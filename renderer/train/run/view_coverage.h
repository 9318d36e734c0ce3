#pragma once

#include <cstdint>
#include <string>

#include "scene/dataset.h"

namespace mote {

/// How much of a photograph other cameras see, without regard to what hides what.
struct ViewCoverage {
  std::size_t cameras = 0;  // training cameras that see at least half of it
  double seen = 0;          // share of it that two or more training cameras see
};

/// Follows rays of the photograph to the depth at which the dataset's points lie in it, or that of
/// the focus of all cameras where it shows none, and looks which training cameras have these places
/// in their pictures.
ViewCoverage view_coverage(const Dataset& dataset, std::uint32_t photograph);

/// Whether so little of it is seen that nothing could be learned for it.
bool is_little(const ViewCoverage& coverage);

/// "2 training cameras see half of it or more, 31 % of it is in two or more training photographs".
std::string coverage_text(const ViewCoverage& coverage);

}  // namespace mote
