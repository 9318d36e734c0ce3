#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/run_config.h"
#include "app/viewer/device_turns.h"
#include "app/viewer/editable_scene.h"
#include "app/viewer/mailbox.h"
#include "app/viewer/run_facts.h"
#include "app/viewer/train_history.h"
#include "scene/camera_path.h"
#include "train/training_run.h"

namespace mote {

/// A run to be started: what `mote train` gets from its command line.
struct TrainOrder {
  RunConfig config = {};
  std::shared_ptr<LoadedDataset> data =
      nullptr;  // null: read from config.data, as config.dataset says
  std::filesystem::path out = {};
  bool resume = false;   // go on with the run in the folder
  bool replace = false;  // an earlier run in the folder may go
  int seed = 42;
  std::string device = {}, version = {};
};

enum class TrainPhase { idle, starting, running, pausing, paused, stopping };
std::string_view phase_name(TrainPhase phase);

struct TrainStatus {
  TrainPhase phase = TrainPhase::idle;
  std::uint64_t step = 0, steps_total = 0, splats = 0;
  double steps_per_s = 0;  // pauses apart
  double loss = 0;         // over about the last fifty steps
  double loaded = 0;       // fraction of the dataset, while starting
  std::filesystem::path out = {};
  std::string strategy = {};
};

/// The splats as they were after a step.
struct TrainSnapshotNews {
  std::shared_ptr<EditableScene> scene;
  SceneExtent extent;
  std::uint64_t step = 0;
  bool last = false;  // the run is over
};

/// The splats of a run between two of its steps, for what goes on with them apart from it.
struct TrainedSplats {
  std::shared_ptr<EditableScene> scene;
  std::uint64_t step = 0;
  std::array<float, 3> background{};  // that the run stands them before
};

/// How a run went, once it is over.
struct TrainEnd {
  std::string fault = {};  // what went wrong, whole; empty where nothing did
  bool stopped = false;    // before its end, and saved
  std::uint64_t step = 0;
  std::string summary = {};  // of a run that is done; for people
  std::filesystem::path out = {};
  RunFacts run = {};  // of that folder, now that it is over
};

/// Trains on a thread of its own. A run leaves in its folder what `mote train` does, and
/// `mote train --resume` goes on with it.
class TrainWorker {
 public:
  explicit TrainWorker(DeviceTurns& device);
  /// Stops the run that is at work, which saves a checkpoint and the scene first.
  ~TrainWorker();
  TrainWorker(const TrainWorker&) = delete;
  TrainWorker& operator=(const TrainWorker&) = delete;

  /// Throws Error where a run is at work.
  void start(TrainOrder order);
  // The rest does nothing where no run is at work.
  void pause();
  void resume();
  /// So many steps, then a pause.
  void step(std::uint64_t steps);
  /// Writes a checkpoint and the scene.
  void save();
  void stop();
  /// Asks for the splats as they are.
  void ask_snapshot();
  /// The splats at the next moment between two steps. What is given throws Error where the run ends
  /// without any. Throws Error where no run is at work.
  std::shared_future<TrainedSplats> splats();

  bool active() const { return status().phase != TrainPhase::idle; }
  TrainStatus status() const;
  /// Copies the history where it has changed since `known`, which it then makes the present one.
  bool refresh(TrainHistory& history, std::uint64_t& known) const;
  std::vector<TrainSnapshotNews> take_snapshots() { return snapshots_.take(); }
  std::vector<TrainEnd> take_ends() { return ends_.take(); }

 private:
  class Watch;
  void work();
  TrainEnd train(TrainOrder& order);
  void run(TrainOrder& order, TrainEnd& end);
  void give_splats(Trainer& trainer, std::unique_lock<std::mutex>& lock);
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
  // What the run is told to do.
  bool paused_ = false, save_ = false, stop_ = false, snapshot_ = false, quit_ = false;
  std::optional<std::uint64_t> steps_left_;  // until a pause
  std::vector<std::promise<TrainedSplats>> splats_wanted_;

  std::thread thread_;  // last: it uses all of the above
};

}  // namespace mote
