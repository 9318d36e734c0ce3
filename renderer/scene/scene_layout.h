#pragma once

#include <glm/vec3.hpp>

#include "scene/dataset.h"

namespace mote {

/// The focus and the scale of a dataset.
struct SceneLayout {
  /// The scale of learning rates and sizes: cameras_extent(). If all cameras stand in one place, it
  /// is a tenth of the distance to their subject, or 1 if that is unknown.
  double extent = 1;
  bool in_one_place = false;  // the cameras are close together relative to that distance
  glm::dvec3 focus{0};        // the point nearest to all optical axes, in front of the cameras
  double distance = 1;        // from the training cameras to the focus, median
};

/// Measures the training cameras and the points. The result is always finite and positive.
SceneLayout measure_layout(const Dataset& dataset);

}  // namespace mote
