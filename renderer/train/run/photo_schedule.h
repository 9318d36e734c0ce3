#pragma once

// Schedules of training that no model decides, as functions of the position in the run.

#include "model/learner.h"
#include "train/run/loop_options.h"

namespace mote {

/// Log-linear interpolation: `from` at 0, `to` at 1. Linear where one of them is 0.
double log_linear(double from, double to, double fraction);

/// The number of halvings of the photographs for the step after `position`. All levels of the
/// schedule get an equal share of the time before `resolution_until`.
int resolution_level_at(const LoopOptions& options, const RunPosition& position);

}  // namespace mote
