#pragma once

#include "train/run/checkpoint.h"
#include "train/run/training_run.h"
#include "train/splats/trainer.h"

namespace mote {

/// The tag of the run's checkpoints, but for the step. This version understands them on this kind
/// of device, which is the first word of its description.
CheckpointTag checkpoint_tag(const RunRequest& request);

/// Writes config.json and cameras.json into a folder of the run. Throws Error where a file cannot
/// be written.
void write_run_files(const RunRequest& request, const RunFolder& folder);

/// Writes these files into the run's folder, and logs what the run begins or goes
/// on with. Throws Error where a file cannot be written.
void write_beginning(const RunRequest& request, const Trainer& trainer);

}  // namespace mote
