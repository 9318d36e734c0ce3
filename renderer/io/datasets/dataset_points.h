#pragma once

#include "io/datasets/camera_source.h"
#include "scene/dataset.h"

namespace mote {

/// Reads the points that belong to the cameras: those of the COLMAP model, or of the .ply that a
/// transforms file names. Otherwise, where the transforms file has `applied_transform`, those of
/// the COLMAP model in DATASET/colmap/sparse/0, transformed by it. Throws Error for damaged files.
PointCloud read_points(const CameraLocation& location, const TransformsFile& cameras,
                       Dataset& dataset);

/// Removes points of a split dataset that are too far away to be useful, with a warning. Warns
/// where points and cameras do not fit together. Adds the number of points to the notes.
void check_points(Dataset& dataset);

}  // namespace mote
