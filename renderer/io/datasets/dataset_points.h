#pragma once

#include "io/datasets/camera_source.h"
#include "scene/dataset.h"

namespace mote {

/// Reads the points that belong to the cameras: of the COLMAP model; or of the .ply that a
/// transforms file names; or, where that says how its frames were moved (`applied_transform`), of
/// the COLMAP model in DATASET/colmap/sparse/0, moved likewise. Throws Error for damaged files.
PointCloud read_points(const CameraLocation& location, const TransformsFile& cameras,
                       Dataset& dataset);

/// Drops points of a dataset that is split that are too far away to be of use, with a warning, and
/// warns where points and cameras do not fit together; says in the notes how many points there are.
void check_points(Dataset& dataset);

}  // namespace mote
