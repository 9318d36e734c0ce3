#pragma once

// The camera of the left part of a photograph.

#include "cameras/camera.h"

namespace mote {

/// The camera of the first `width` columns of a photograph. Where the camera moves from column to
/// column, its pose belongs to the middle of those columns, so that each keeps its time.
Camera first_columns(const Camera& camera, int width);

/// `camera` with the pose whose first `width` columns have the pose of `columns`.
Camera with_pose_of_columns(const Camera& camera, int width, const Camera& columns);

}  // namespace mote
