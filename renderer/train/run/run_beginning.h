#pragma once

#include <optional>

#include "train/run/checkpoint.h"
#include "train/run/trainer.h"
#include "train/run/training_run.h"

namespace mote {

/// The tag of the run's checkpoints, without the step. The layout names the program's version and
/// the kind of device, which is the first word of the device's description.
CheckpointTag checkpoint_tag(const RunRequest& request);

/// The checkpoint from which a resumed run continues, after unfinished files are removed; empty for
/// a new run, and if there is none. Throws as newest_checkpoint() does.
std::optional<GoodCheckpoint> checkpoint_to_resume(const RunRequest& request,
                                                   const CheckpointTag& tag);

/// The options of the run's loop, with the run's folder for files that live as long as the process.
/// `resumes`: from a checkpoint.
LoopOptions loop_options(const RunRequest& request, bool resumes);

/// Writes config.json and cameras.json into the run's folder. Throws Error if a file cannot be
/// written.
void write_run_files(const RunRequest& request, const RunFolder& folder);

/// Writes these files and logs the initial state of a new or resumed run. Throws Error if a file
/// cannot be written.
void write_beginning(const RunRequest& request, const Trainer& trainer);

}  // namespace mote
