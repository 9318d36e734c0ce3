#pragma once

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/viewer/device_turns.h"
#include "app/viewer/session.h"

namespace mote {

/// What a session shows, on the device as it is at one time after the other: for who renders it
/// apart from the view. Made on the session's thread; then one worker's.
class ScenesInTime {
 public:
  /// `shown`: what is on the device already; null where a run at work is shown.
  ScenesInTime(const Session& session, std::shared_ptr<const ComposedScene> shown);

  /// The splats of a run take the place of the scene under training, once they are there.
  void expect_run(std::shared_future<TrainedSplats> run) { run_ = std::move(run); }
  /// Waits for them, where a run is expected, and calls `look_up` meanwhile, which may throw to
  /// stop. To be called before at(). Throws Error where the run ends before it gave them.
  void await_run(const std::function<void()>& look_up);
  /// What it gave; null where none is expected.
  const TrainedSplats* run() const { return run_.valid() ? &run_.get() : nullptr; }

  /// The scene so long after the start, as the clock's settings have it; null where no splat is
  /// seen then. Reads and uploads what differs from the time before. Throws Error where the splats
  /// of a time cannot be read.
  const DeviceScene* at(double time_s, DeviceTurns& device);
  /// Whether most splats of what at() has made last were trained with the antialiased kernel.
  bool antialiased() const { return antialiased_; }

 private:
  struct Part {
    std::shared_ptr<const SplatSource> still;  // null: it moves
    std::shared_ptr<const Movement> movement;
    MovingEdit edit;
    Similarity transform;
    bool trained = false;  // the run's splats are `still`
  };
  std::vector<std::uint64_t> moments_at(double time_s) const;

  std::shared_ptr<const ComposedScene> shown_;
  SceneClock clock_;
  std::vector<Part> parts_;
  bool moves_ = false, antialiased_ = false;
  std::shared_future<TrainedSplats> run_;              // not valid: none is shown
  std::optional<std::vector<std::uint64_t>> moments_;  // of scene_; none: nothing is made yet
  std::unique_ptr<DeviceScene> scene_;
};

}  // namespace mote
