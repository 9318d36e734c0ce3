#pragma once

// The numbers beside the colour scale of a display mode.

#include <string>
#include <vector>

#include "app/viewer/session/session.h"

namespace mote {

struct LegendTick {
  double place = 0;  // on the scale: 0 is its low end, 1 its high end
  std::string text;
};

/// Multiples of a round step in the range, of at most that number (at least 2); of a logarithmic
/// scale powers of ten, and 0.
std::vector<LegendTick> legend_ticks(const Legend& legend, const LegendRange& range,
                                     std::size_t most);

}  // namespace mote
