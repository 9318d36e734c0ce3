#pragma once

#include <glm/vec3.hpp>
#include <vector>

#include "core/image.h"

namespace mote {

/// Values of the two ends of a mode's colour scale. Values beyond are clamped.
struct LegendRange {
  float low = 0, high = 1;
};

/// Colour scale from black at 0 through violet, red and yellow to nearly white at 1, with
/// increasing brightness. Display values.
glm::vec3 heat_color(float t);

/// The range for a heat map of counts: from 0 to the 98th percentile of the nonzero pixels, at
/// least 1.
LegendRange heat_range(const Image& counts);

/// Makes the heat map, [h][w][3], of counts, [h][w][1].
void paint_heat(const Image& counts, LegendRange range, Image& picture);

/// Positive values of about 10000 pixels spread over a one-channel image; enough to estimate the
/// range of its values.
std::vector<float> sampled_values(const Image& image);

}  // namespace mote
