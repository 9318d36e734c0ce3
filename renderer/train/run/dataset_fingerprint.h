#pragma once

#include <cstdint>

#include "scene/dataset.h"

namespace mote {

/// A hash of the dataset: names of photographs, cameras, sizes and split. A checkpoint must not be
/// resumed with another hash. Points are not included.
std::uint64_t dataset_fingerprint(const Dataset& dataset);

/// A hash of the photographs' pixels: image and mask files, independent of their place, and the
/// meaning of the masks.
std::uint64_t pixels_fingerprint(const Dataset& dataset);

}  // namespace mote
