#pragma once

#include <cstddef>

#include "scene/dataset.h"
#include "train/splats/train_options.h"

namespace mote {

/// The most splats that training may come to: `options.max_splats`, or where that is 0 as many as
/// have no more parameters together than the training photographs have colour values, and never
/// more than a million. Beyond, splats fit the noise of single photographs: they cost time and
/// make views held out worse.
std::size_t splat_limit(const Dataset& dataset, const TrainOptions& options);

}  // namespace mote
