#pragma once

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/viewer/session/session.h"
#include "app/viewer/workers/device_turns.h"

namespace mote {

/// The shown scenes on the device at successive times, for a renderer other than the view.
/// Constructed on the session's thread, then used by one worker.
class ScenesInTime {
 public:
  /// `shown`: the scene already on the device; null if a running training is shown.
  ScenesInTime(const Session& session, std::shared_ptr<const ComposedScene> shown);

  /// Uses the model of a run instead of the scene under training, when they arrive.
  void expect_run(std::shared_future<TrainedScene> run) { run_ = std::move(run); }
  /// Waits for the run's model, if one is expected; call it before at(). Calls `look_up` while
  /// waiting, which may throw to stop. Throws Error if the run ends before it gives them.
  void await_run(const std::function<void()>& look_up);
  /// The run's model; null if none is expected.
  const TrainedScene* run() const { return run_.valid() ? &run_.get() : nullptr; }

  /// The model at `time_s` after the start, by the clock's settings; null if nothing is visible
  /// then. Reads and uploads only what changed since the last call. Throws Error if the model at
  /// that time cannot be read.
  Drawable* at(double time_s, DeviceTurns& device);
  /// Whether most elements of the last at() were trained with the antialiased kernel.
  bool antialiased() const { return scene_.antialiased; }

 private:
  struct Part {
    std::uint32_t document = 0;
    std::shared_ptr<const ModelSource> still;  // null: it moves
    std::shared_ptr<const Movement> movement;
    MovingEdit edit;
    SceneExtent extent;
    bool trained = false;                 // `still` holds the run's model
    std::optional<std::uint64_t> moment;  // on the device; empty: nothing yet
  };
  /// Puts the part at the time on the device, as part `i` of scene_.
  void provide(std::size_t i, double time_s, DeviceTurns& device);

  std::shared_ptr<const ComposedScene> shown_;
  SceneClock clock_;
  std::vector<Part> parts_;
  bool moves_ = false;
  std::shared_future<TrainedScene> run_;  // not valid: no run is shown
  ComposedScene scene_;
};

}  // namespace mote
