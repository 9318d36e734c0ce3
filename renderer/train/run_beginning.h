#pragma once

#include "train/trainer.h"
#include "train/training_run.h"

namespace mote {

/// Writes config.json and cameras.json into the run's folder, and logs what the run begins or goes
/// on with. Throws Error where a file cannot be written.
void write_beginning(const RunRequest& request, const Trainer& trainer);

}  // namespace mote
