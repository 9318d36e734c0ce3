#pragma once

#include <memory>

#include "model/learner.h"
#include "train/fields/field_options.h"
#include "train/fields/field_target.h"
#include "train/run/run_options.h"

namespace mote {

/// The target of a run. Throws Error if the dataset has none for such a field.
const FieldTarget& field_target(const Dataset& dataset, FieldApplication application);

/// Makes a learner that fits a field with one network, with random parameters, to the target of the
/// dataset. Throws Error if the target, the options or the device do not allow training.
std::unique_ptr<Learner> make_fitting_learner(const LearnerSite& site, FieldApplication application,
                                              const LoopOptions& loop, const FieldOptions& options);

}  // namespace mote
