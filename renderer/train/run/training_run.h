#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>

#include "backend/backend.h"
#include "core/progress.h"
#include "io/datasets/dataset_source.h"
#include "train/run/evaluation.h"
#include "train/run/metrics_file.h"
#include "train/run/run_folder.h"
#include "train/run/run_options.h"
#include "train/splats/train_options.h"
#include "train/splats/trainer.h"

namespace mote {

/// Looks on while a run trains, and steers it. Called by the thread that trains.
class RunObserver {
 public:
  enum class Wish { go_on, save };

  virtual ~RunObserver() = default;
  /// Between two uses of the device: before each step and before each view of an evaluation.
  /// `trainer` may be read and rendered from until the call returns, which may take its time.
  /// `save` has a checkpoint and the scene written, and is asked again. Throws Interrupted to stop
  /// as Ctrl-C does.
  virtual Wish between(Trainer& trainer) = 0;
  virtual void stepped(const TrainReport& report) = 0;
  /// A line of metrics.csv.
  virtual void measured(const MetricsRow& row) = 0;
  virtual void evaluated(const Evaluation& evaluation, std::uint64_t step) = 0;
  /// The run is done or stopped and its files are written; `trainer` is about to go.
  virtual void ending(Trainer& trainer) = 0;
};

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
  RunObserver* observer = nullptr;  // or null
};

/// What a run tells at its end.
struct RunEnd {
  std::string stats;    // stats.json
  std::string summary;  // for people, a few lines
};

/// Trains, and leaves in the folder config.json, train.log, metrics.csv, metrics.svg, stats.json,
/// cameras.json, checkpoints, evaluations and splat_N.ply.
///
/// Every file appears whole or not at all (metrics.csv and train.log grow by lines). After Ctrl-C
/// or another signal of core/interrupt.h a checkpoint and the scene are written, and Interrupted
/// thrown. A resumed run goes on bit for bit
/// where the program, the device and the number of steps are the same, and its metrics.csv is as if
/// it had never stopped, times apart.
///
/// An evaluation that fails is warned of, and so is a file that cannot be written on the way:
/// training goes on with the last whole one. The folder is made again where it was removed. Where
/// the disk is full, older checkpoints give way to a newer one and all of them to the last scene.
/// Results that cannot be saved there at the end go into another folder (train/run_saver.h), which
/// is an Error. Throws Error too where the loss is no longer a number, where no checkpoint can be
/// resumed from, and where a photograph cannot be read, memory has run out or a device fails: then,
/// if the device still answers and no step was left half done, a checkpoint and the scene of the
/// last whole step are written first.
RunEnd run_training(const RunRequest& request);

}  // namespace mote
