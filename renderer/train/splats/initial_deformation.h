#pragma once

#include <cstdint>

#include "backend/splat_trainer.h"
#include "model/learner.h"
#include "scene/dataset.h"
#include "splats/deformation_config.h"
#include "train/splats/train_options.h"

namespace mote {

/// The sizes of the field of a run that starts without one.
DeformationConfig deformation_config(const TrainOptions& options);

/// Gives the first splats of a run a field that moves nothing yet, and the times of the dataset.
/// Its box is that of most splats. Throws UsageError if all photographs show the same time.
void add_deformation(const Dataset& dataset, const SceneLayout& layout, const TrainOptions& options,
                     std::uint64_t seed, SplatCloud& cloud);

/// The field's part of the step after `position`.
DeformationStep deformation_step(const TrainOptions& options, const RunPosition& position);

}  // namespace mote
