#pragma once

#include <vector>

#include "cameras/camera.h"
#include "io/datasets/dataset_facts.h"
#include "io/datasets/dataset_images.h"
#include "scene/dataset.h"

namespace mote {

/// Counts photographs that are alike; one entry each of images, of their cameras without a lens,
/// and of what is trained on.
std::vector<PhotographKind> kinds_of(const std::vector<UsableImage>& images,
                                     const std::vector<Camera>& undistorted,
                                     const std::vector<Photograph>& photographs);

/// Notes the sizes before and after undistortion and resizing, and warns where a lens leaves little
/// of its photographs.
void tell_sizes(const std::vector<PhotographKind>& kinds, Dataset& dataset);

}  // namespace mote
