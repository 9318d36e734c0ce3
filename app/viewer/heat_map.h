#pragma once

#include <glm/vec3.hpp>

#include "core/image.h"

namespace mote {

/// What the two ends of a mode's colours stand for; what lies beyond is shown as the nearer end.
struct LegendRange {
  float low = 0, high = 1;
};

/// Black at 0, through violet, red and yellow to nearly white at 1; ever brighter. Display values.
glm::vec3 heat_color(float t);

/// The range that a heat map of counts is shown with: from 0 to what 98 of 100 of the pixels that
/// have any do not exceed, at least 1.
LegendRange heat_range(const Image& counts);

/// Makes the heat map, [h][w][3], of counts, [h][w][1].
void paint_heat(const Image& counts, LegendRange range, Image& picture);

}  // namespace mote
