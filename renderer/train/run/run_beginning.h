#pragma once

#include "train/run/checkpoint.h"
#include "train/run/trainer.h"
#include "train/run/training_run.h"

namespace mote {

/// The tag of the run's checkpoints, without the step. The layout names the program's version and
/// the kind of device, which is the first word of the device's description.
CheckpointTag checkpoint_tag(const RunRequest& request);

/// The options of the run's loop, with the run's folder for files that live as long as the process.
LoopOptions with_scratch_folder(const RunRequest& request);

/// Writes config.json and cameras.json into the run's folder. Throws Error if a file cannot be
/// written.
void write_run_files(const RunRequest& request, const RunFolder& folder);

/// Writes these files and logs the initial state of a new or resumed run. Throws Error if a file
/// cannot be written.
void write_beginning(const RunRequest& request, const Trainer& trainer);

}  // namespace mote
