#pragma once

#include <cstdint>

#include "scene/dataset.h"

namespace mote {

/// A number that differs for datasets with other photographs, by name, other cameras, sizes or
/// splits: what a checkpoint must not be resumed on. Points are of no account.
std::uint64_t dataset_fingerprint(const Dataset& dataset);

/// A number that differs where the photographs have other pixels: other image or mask files,
/// wherever they lie, or another meaning of the masks.
std::uint64_t pixels_fingerprint(const Dataset& dataset);

}  // namespace mote
