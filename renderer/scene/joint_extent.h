#pragma once

#include "scene/camera_path.h"
#include "scene/similarity.h"

namespace mote {

/// The extent of a scene that is placed in the world.
SceneExtent placed_extent(const SceneExtent& extent, const Similarity& world_from_scene);

/// The smallest ball around both.
SceneExtent joint_extent(const SceneExtent& a, const SceneExtent& b);

}  // namespace mote
