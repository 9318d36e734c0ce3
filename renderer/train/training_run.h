#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>

#include "backend/backend.h"
#include "core/progress.h"
#include "io/dataset_source.h"
#include "train/run_folder.h"
#include "train/run_options.h"
#include "train/train_options.h"

namespace mote {

/// What a run works with. What it refers to must outlive it.
struct RunRequest {
  Backend& backend;
  LoadedDataset& data;
  const TrainOptions& train;
  const RunOptions& run;
  RunFolder& folder;  // open() was called
  std::uint64_t seed = 0;
  bool resume = false;  // go on from the newest checkpoint, or from the start without one
  std::filesystem::path data_path;
  std::string config;          // text of config.json
  std::string version;         // of the program
  std::string resume_command;  // for a person
  ProgressMode progress = ProgressMode::automatic;
};

/// What a run tells at its end.
struct RunEnd {
  std::string stats;    // stats.json
  std::string summary;  // for people, a few lines
};

/// Trains, and leaves in the folder config.json, train.log, metrics.csv, metrics.svg, stats.json,
/// cameras.json, checkpoints, evaluations and splat_N.ply.
///
/// Every file appears whole or not at all (metrics.csv and train.log grow by lines). After Ctrl-C a
/// checkpoint is written, and Interrupted thrown. A resumed run goes on bit for bit where the
/// program, the device and the number of steps are the same, and its metrics.csv is as if it had
/// never stopped, times apart.
///
/// An evaluation that fails is warned of, and so is a file that cannot be written on the way:
/// training goes on with the last whole one; a scene that cannot be written at the end is an Error.
/// Throws Error too where the loss is no longer a number and where no checkpoint can be resumed
/// from.
RunEnd run_training(const RunRequest& request);

}  // namespace mote
