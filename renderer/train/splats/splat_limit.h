#pragma once

#include <cstddef>

#include "scene/dataset.h"
#include "train/splats/train_options.h"

namespace mote {

/// Upper bound on the number of splats in training: `options.max_splats`. If that is 0, the number
/// at which the splats have as many parameters as the training photographs have colour values, at
/// most a million. More splats fit the noise of single photographs: they cost time and make
/// held-out views worse.
std::size_t splat_limit(const Dataset& dataset, const TrainOptions& options);

}  // namespace mote
