#pragma once

#include <vector>

#include "cameras/camera.h"
#include "io/datasets/dataset_images.h"
#include "io/datasets/dataset_source.h"

namespace mote {

/// The pinhole cameras of photographs from which the lens is removed. Images whose lens cannot be
/// inverted are dropped with a warning; throws Error where none is left. Another warning tells of
/// motions, which are ignored.
std::vector<Camera> undistorted_cameras(std::vector<UsableImage>& images, LoadedDataset& loaded);

/// The cameras of the photographs as they are, with lens and motion. Images are dropped as by
/// undistorted_cameras(). A warning tells of pixels for which the lens has no inverse.
std::vector<Camera> cameras_with_lens(std::vector<UsableImage>& images, LoadedDataset& loaded);

}  // namespace mote
