#pragma once

// The cells of an occupancy grid that the cameras of a dataset see. A field learns nothing in the
// others.

#include <span>
#include <vector>

#include "cameras/camera.h"
#include "cameras/camera_floats.h"
#include "fields/neural_field.h"
#include "fields/occupancy.h"

namespace mote {

/// The directions that a camera sees: those in its image or, where `widest_rad` is above 0, those
/// in a cone around its view axis.
struct SeenView {
  CameraFloats camera;
  float widest_rad = 0;  // half the angle of the cone, up to pi
};

/// Views that together show all that a camera shows with its lens and its motion, and little more.
std::vector<SeenView> seen_views(const Camera& camera);

/// Marks the cells of which no view shows the centre or a corner with kUnseenDensity. Cells that
/// had this mark and are seen get 0. A view shows the points in front of it that project into its
/// image, or those in its cone; nothing hides a point. The world of the cameras is the field's
/// frame.
void mark_unseen_cells(std::span<const SeenView> views, OccupancyDensities& densities);

/// The grid at the start of training: cells that none of the cameras sees stay empty, if there are
/// cameras, and all others are occupied until they are measured for the first time.
void start_occupancy(const FieldPlacement& placement, std::span<const Camera> cameras,
                     OccupancyDensities& densities);

}  // namespace mote
