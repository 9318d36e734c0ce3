#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <future>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/jobs/run_config.h"
#include "app/viewer/document/field_scene.h"
#include "app/viewer/document/run_facts.h"
#include "app/viewer/training/train_history.h"
#include "app/viewer/workers/device_turns.h"
#include "core/mailbox.h"
#include "scene/camera_path.h"
#include "train/run/training_run.h"

namespace mote {

/// A run to start, with the options of the `mote train` command line.
struct TrainOrder {
  RunConfig config = {};
  /// Null: read from config.data with the options config.dataset.
  std::shared_ptr<LoadedDataset> data = nullptr;
  std::filesystem::path out = {};
  bool resume = false;   // continue the run in the folder
  bool replace = false;  // an earlier run in the folder may be removed
  int seed = 42;
  std::string device = {}, version = {};
};

enum class TrainPhase { idle, starting, running, pausing, paused, stopping };
std::string_view phase_name(TrainPhase phase);

struct TrainStatus {
  TrainPhase phase = TrainPhase::idle;
  std::uint64_t step = 0, steps_total = 0;
  std::uint64_t count = 0;  // elements of the model
  SceneTimes times = {};    // of a model that moves
  double steps_per_s = 0;   // without pauses
  /// Mean over about the last fifty steps that have one; NaN before the first.
  double loss = std::numeric_limits<double>::quiet_NaN();
  double loaded = 0;  // fraction of the dataset, during the start
  std::filesystem::path out = {};
  std::string strategy = {};
};

/// The model after a step.
struct TrainSnapshotNews {
  StillModel model;
  SceneExtent extent;
  std::uint64_t step = 0;
  bool last = false;  // the run has ended
};

/// The model of a run between two steps, for use outside the run.
struct TrainedScene {
  StillModel model;
  std::uint64_t step = 0;
  std::array<float, 3> background{};  // background of the run
};

/// Result of a run.
struct TrainEnd {
  std::string fault = {};  // complete error message; empty on success
  bool stopped = false;    // stopped and saved before its end
  std::uint64_t step = 0;
  std::string summary = {};  // of a finished run; for the user
  std::filesystem::path out = {};
  RunFacts run = {};                 // facts of the folder after the end
  std::filesystem::path scene = {};  // its newest scene after the end; empty: none
};

/// Trains on its own thread. The run's folder is the same as for `mote train`, and `mote train
/// --resume` continues it.
class TrainWorker {
 public:
  explicit TrainWorker(DeviceTurns& device);
  /// Stops the current run, which first saves a checkpoint and the scene.
  ~TrainWorker();
  TrainWorker(const TrainWorker&) = delete;
  TrainWorker& operator=(const TrainWorker&) = delete;

  /// Throws Error if a run is active.
  void start(TrainOrder order);
  // The following functions do nothing if no run is active.
  void pause();
  void resume();
  /// Runs `steps` steps, then pauses.
  void step(std::uint64_t steps);
  /// Saves a checkpoint and the scene.
  void save();
  void stop();
  /// Requests the current model.
  void ask_snapshot();
  /// The model at the next point between two steps. The future throws Error if the run ends before
  /// it gives any. Throws Error if no run is active.
  std::shared_future<TrainedScene> scene();

  bool active() const { return status().phase != TrainPhase::idle; }
  TrainStatus status() const;
  /// Updates `history` if it has changed since version `known`, and sets `known` to the current
  /// version. Returns whether it changed.
  bool refresh(TrainHistory& history, std::uint64_t& known) const;
  std::vector<TrainSnapshotNews> take_snapshots() { return snapshots_.take(); }
  std::vector<TrainEnd> take_ends() { return ends_.take(); }

 private:
  class Watch;
  void work();
  TrainEnd train(TrainOrder& order);
  void run(TrainOrder& order, TrainEnd& end);
  void give_scene(Trainer& trainer, std::unique_lock<std::mutex>& lock);
  void go_on();
  void command(void (*change)(TrainWorker& self));

  DeviceTurns& device_;
  Mailbox<TrainSnapshotNews> snapshots_;
  Mailbox<TrainEnd> ends_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<TrainOrder> order_;
  TrainStatus status_;
  TrainHistory history_;
  std::uint64_t history_changes_ = 0;
  // Commands to the run.
  bool paused_ = false, save_ = false, snapshot_ = false, quit_ = false;
  std::atomic<bool> stop_{false};            // read without the mutex by pictures of evaluations
  std::optional<std::uint64_t> steps_left_;  // steps until a pause
  std::vector<std::promise<TrainedScene>> scene_wanted_;

  std::thread thread_;  // last member: the thread uses all of the above
};

}  // namespace mote
