#pragma once

#include <memory>
#include <span>
#include <vector>

#include "scene/color_adjustment.h"
#include "scene/transform.h"

namespace mote {

/// One scene of several that are shown as one.
struct MergePart {
  std::shared_ptr<const SplatCloud> cloud;
  Similarity transform;
  ColorAdjustment color;
};

/// All splats in one cloud, each part placed and recoloured, in the parts' order, with harmonics of
/// the highest degree among them. The kernel is that of most of the splats. Peaks at the result and
/// one more part in memory.
SplatCloud merged(std::span<const MergePart> parts);

}  // namespace mote
