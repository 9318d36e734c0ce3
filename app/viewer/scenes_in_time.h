#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/viewer/device_turns.h"
#include "app/viewer/session.h"

namespace mote {

/// What a session shows, on the device as it is at one time after the other: for who renders it
/// apart from the view. Made on the session's thread; then one worker's.
class ScenesInTime {
 public:
  /// `shown`: what is on the device already.
  ScenesInTime(const Session& session, std::shared_ptr<const ComposedScene> shown);

  /// The scene so long after the start, as the clock's settings have it; null where no splat is
  /// seen then. Reads and uploads what differs from the time before. Throws Error where the splats
  /// of a time cannot be read.
  const DeviceScene* at(double time_s, DeviceTurns& device);

 private:
  struct Part {
    std::shared_ptr<const SplatSource> still;  // null: it moves
    std::shared_ptr<const Movement> movement;
    MovingEdit edit;
    Similarity transform;
  };
  std::vector<std::uint64_t> moments_at(double time_s) const;

  std::shared_ptr<const ComposedScene> shown_;
  SceneClock clock_;
  std::vector<Part> parts_;
  bool moves_ = false;
  std::optional<std::vector<std::uint64_t>> moments_;  // of scene_; none: nothing is made yet
  std::unique_ptr<DeviceScene> scene_;
};

}  // namespace mote
