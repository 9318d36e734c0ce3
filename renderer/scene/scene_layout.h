#pragma once

#include <glm/vec3.hpp>

#include "scene/dataset.h"

namespace mote {

/// Where a dataset's cameras look, and how large things are there.
struct SceneLayout {
  /// What learning rates and sizes are counted in: cameras_extent(). Where the cameras stand in one
  /// place, as a single one does, a tenth of the distance to what they see, or 1 where nothing
  /// says.
  double extent = 1;
  bool in_one_place = false;  // the cameras stand so close together, beside that distance
  glm::dvec3 focus{0};        // the point nearest to all optical axes, in front of the cameras
  double distance = 1;        // from the training cameras to the focus, median
};

/// Looks at the training cameras and the points. Always finite and positive.
SceneLayout measure_layout(const Dataset& dataset);

}  // namespace mote
