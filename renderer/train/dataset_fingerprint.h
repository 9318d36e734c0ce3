#pragma once

#include <cstdint>

#include "scene/dataset.h"

namespace mote {

/// A number that differs for datasets with other photographs, cameras, sizes or splits: what a
/// checkpoint must not be resumed on. Contents of the photographs and points are of no account.
std::uint64_t dataset_fingerprint(const Dataset& dataset);

}  // namespace mote
