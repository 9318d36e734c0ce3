#pragma once

// The cells of an occupancy grid that the cameras of a dataset see. A field learns nothing in the
// others.

#include <span>

#include "cameras/camera_floats.h"
#include "fields/occupancy.h"

namespace mote {

/// Marks the cells of which no camera sees the centre or a corner with kUnseenDensity. Cells that
/// had this mark and are seen get 0. A camera sees the points in front of it that project into its
/// image; nothing hides a point. The world of the cameras is the field's frame.
void mark_unseen_cells(std::span<const CameraFloats> cameras, OccupancyDensities& densities);

}  // namespace mote
