#pragma once

#include <memory>
#include <span>
#include <vector>

#include "app/viewer/splat_source.h"
#include "scene/transform.h"

namespace mote {

/// One scene of several that are shown as one.
struct MergePart {
  std::shared_ptr<const SplatSource> scene;
  Similarity transform;
};

/// All that is shown of the parts in one cloud, placed and coloured, in the parts' order, with
/// harmonics of the highest degree among them. The kernel is that of most of the splats. Peaks at
/// twice the result in memory.
SplatCloud merged(std::span<const MergePart> parts);

}  // namespace mote
