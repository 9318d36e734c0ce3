#pragma once

#include <glm/vec3.hpp>

#include "splats/splat_cloud.h"
#include "splats/splat_mask.h"

namespace mote {

/// A selection that spreads from one splat to its neighbours.
struct ColorFlood {
  glm::dvec3 from{0};      // it starts at the splat with the nearest mean
  double distance = 0;     // between the means of neighbours, at most, the cloud's units
  double color_range = 1;  // distance of colours from that of the first splat, at most
};

/// The splats of `among` that a chain of neighbours connects with the first one. Colours are those
/// of base_color() without an adjustment; their distance is Euclidean, over red, green and blue of
/// 0 to 1. Means that are not finite have no neighbours. Empty if `among` is.
SplatMask flood(const SplatCloud& cloud, const SplatMask& among, const ColorFlood& flood);

}  // namespace mote
