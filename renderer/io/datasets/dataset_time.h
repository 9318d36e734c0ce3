#pragma once

#include <vector>

#include "io/datasets/dataset_images.h"
#include "scene/dataset.h"

namespace mote {

/// Sets the physical cameras, the photographs' places among them, and the times of the dataset.
/// `images` and Dataset::photographs have the same order. Warns where a camera's photographs show
/// one moment twice, and where the cameras' numbers of photographs differ.
void set_times(const std::vector<UsableImage>& images, Dataset& dataset);

}  // namespace mote
