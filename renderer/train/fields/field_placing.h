#pragma once

#include "fields/neural_field.h"
#include "scene/dataset.h"
#include "scene/scene_layout.h"

namespace mote {

/// Where a field stands in a dataset's world, and the side of the cube that it fills.
struct FieldSite {
  FieldPlacement placement;
  int aabb_scale = 1;
  FieldBox render_box;
};

/// The cameras of a subject in their middle stand 1.33 away from the centre, as those of the
/// NeRF-synthetic scenes do in instant-ngp, unless the dataset gives the place. `aabb_scale`: 0
/// chooses the dataset's, else the smallest that contains nearly all points; without points, 1 if
/// photographs are transparent around the subject, else kUsualAabbScale.
FieldSite place_field(const Dataset& dataset, const SceneLayout& layout, int aabb_scale);
inline constexpr int kUsualAabbScale = 4, kMostAabbScale = 128;

}  // namespace mote
