#pragma once

#include <memory>
#include <span>
#include <vector>

#include "app/viewer/session/splat_source.h"
#include "scene/camera_path.h"
#include "scene/similarity.h"

namespace mote {

/// One of several scenes that are shown together.
struct MergePart {
  std::shared_ptr<const SplatSource> scene;
  Similarity transform;
  SceneExtent extent = {};  // in the scene's own frame
};

/// The merged cloud of all parts, placed and coloured, in their order. The degree of the harmonics
/// is the highest among them. The kernel is the one of most splats. Throws Error for parts of
/// different kinds. Peak memory is twice the result.
SplatCloud merged(std::span<const MergePart> parts);

}  // namespace mote
