#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>

#include "backend/backend.h"
#include "core/interrupt.h"
#include "core/progress.h"
#include "io/datasets/dataset_source.h"
#include "train/run/evaluation.h"
#include "train/run/metrics_file.h"
#include "train/run/run_folder.h"
#include "train/run/run_options.h"
#include "train/run/trainer.h"

namespace mote {

/// Observes and controls a run. Called by the training thread.
class RunObserver {
 public:
  enum class Request { none, save };

  virtual ~RunObserver() = default;
  /// Called between two uses of the device: before each step and before each view of an evaluation.
  /// Until the call returns, `trainer` may be read and may render; a call may be long. If the
  /// result is `save`, a checkpoint and the scene are written and the call is repeated. To stop the
  /// run as Ctrl-C does, an observer throws Interrupted.
  virtual Request between(Trainer& trainer) = 0;
  virtual void stepped(const TrainReport& report) = 0;
  /// Called for each line of metrics.csv.
  virtual void measured(const MetricsRow& row) = 0;
  virtual void evaluated(const Evaluation& evaluation, std::uint64_t step) = 0;
  /// Called when the run is done or stopped and its files are written, before `trainer` is
  /// destroyed.
  virtual void ending(Trainer& trainer) = 0;
};

/// The input of a run. All references must outlive it.
struct RunRequest {
  Backend& backend;
  LoadedDataset& data;
  const LoopOptions& train;
  const LearnerPlan& plan;
  const RunOptions& run;
  RunFolder& folder;  // after open()
  std::uint64_t seed = 0;
  bool resume = false;  // continue from the newest checkpoint, or start if there is none
  std::filesystem::path data_path;
  std::string config;          // content of config.json
  std::string version;         // version of the program
  std::string resume_command;  // shown to the user
  ProgressMode progress = ProgressMode::automatic;
  /// Set by a signal or by another thread to stop the run as Ctrl-C does, even within a picture of
  /// an evaluation where the device can, see RenderSettings::superseded.
  const std::atomic<bool>* stop = &interrupt_flag();
  RunObserver* observer = nullptr;  // or null
};

/// The results of a finished run.
struct RunEnd {
  std::string stats;    // stats.json
  std::string summary;  // for people, a few lines
};

/// Trains, and writes into the folder config.json, train.log, metrics.csv, metrics.svg, stats.json,
/// cameras.json, checkpoints, evaluations and the model, such as splat_N.ply.
///
/// Every file appears completely or not at all; metrics.csv and train.log grow by lines. After
/// Ctrl-C or another signal of core/interrupt.h, a checkpoint and the scene are written and
/// Interrupted is thrown. A resumed run gives results identical to those of an uninterrupted run if
/// the program, the device and the number of steps are the same. metrics.csv is then equal too,
/// except for times.
///
/// An evaluation that fails during the run gives a warning, and so does a file that cannot be
/// written: the last complete file stays, and training continues. A removed folder is made again.
/// On a full disk, older checkpoints are deleted to write a newer one, and all of them to write the
/// last scene. Results that cannot be saved at the end go into another folder
/// (train/run/run_saver.h), and Error is thrown. Also throws Error if the loss is not finite, no
/// checkpoint can be resumed, a photograph cannot be read, memory runs out, or a device fails. A
/// checkpoint and the scene of the last complete step are written first, if the device still
/// answers and no step is incomplete.
RunEnd run_training(const RunRequest& request);

}  // namespace mote
