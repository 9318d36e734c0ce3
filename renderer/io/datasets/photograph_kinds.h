#pragma once

#include <vector>

#include "cameras/camera.h"
#include "io/datasets/dataset_facts.h"
#include "io/datasets/dataset_images.h"
#include "scene/dataset.h"

namespace mote {

/// Counts photographs of the same kind. All three lists have one entry per photograph: images,
/// their cameras without lens, and their cameras for training.
std::vector<PhotographKind> kinds_of(const std::vector<UsableImage>& images,
                                     const std::vector<Camera>& undistorted,
                                     const std::vector<Photograph>& photographs);

/// Adds notes on the sizes before and after undistortion and resizing. Warns where a lens leaves
/// little of its photographs.
void tell_sizes(const std::vector<PhotographKind>& kinds, Dataset& dataset);

}  // namespace mote
