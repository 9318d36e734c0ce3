#pragma once

#include <memory>

#include "model/learner.h"
#include "train/fields/field_options.h"
#include "train/run/run_options.h"

namespace mote {

/// Makes a learner with random parameters. Throws Error if the dataset, the options or the device
/// do not allow training.
std::unique_ptr<Learner> make_field_learner(const LearnerSite& site, const LoopOptions& loop,
                                            const FieldOptions& options);

}  // namespace mote
