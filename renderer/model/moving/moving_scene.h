#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scene/time_range.h"
#include "splats/splat_cloud.h"

namespace mote {

/// Time of the view, and whether it is playing.
struct ViewTime {
  double time_s = 0;
  bool playing = false;
};

/// The splats of a moving scene at one time.
struct Moment {
  std::uint64_t number = 0;  // differs whenever the splats differ
  std::shared_ptr<const SplatCloud> splats;
  bool exact = true;  // false: splats of a nearby time, while the exact ones are loading
};

/// A time interval, s.
struct TimeSpan {
  double from_s = 0, to_s = 0;
};

/// A scene whose splats depend on time: its time range and its splats at a time. The splats are
/// those of its files; placement, crops and colours are applied elsewhere. Only the view's thread
/// calls non-const members; const members are thread safe.
class MovingScene {
 public:
  virtual ~MovingScene() = default;

  virtual TimeRange range() const = 0;
  /// Number of different pictures per second; 0 for continuous motion.
  virtual double frames_per_second() const = 0;
  /// Has no effect on continuous motion: the file gives its times.
  virtual void set_frames_per_second(double rate) = 0;
  /// Memory limit for frames that are kept or read ahead.
  virtual void set_memory_bytes(std::size_t bytes) = 0;

  /// The best splats available for the time, without waiting. Starts to load missing and upcoming
  /// frames.
  virtual Moment look_at(const ViewTime& time) = 0;
  /// Errors since the last call, each a phrase.
  virtual std::vector<std::string> take_faults() = 0;

  /// Moment::number at the time.
  virtual std::uint64_t moment_at(double time_s) const = 0;
  /// The splats at the time. Slow, so only worker threads call it. Throws Error if they cannot be
  /// read.
  virtual SplatCloud splats_at(double time_s) const = 0;
  /// A label of the time for the user, for example a file name, or an empty text.
  virtual std::string name_at(double time_s) const = 0;
  /// The time intervals that can be shown without loading, ascending.
  virtual std::vector<TimeSpan> ready() const = 0;

 protected:
  MovingScene() = default;
  MovingScene(const MovingScene&) = default;
  MovingScene& operator=(const MovingScene&) = default;
};

/// Number of frames of a scene that is a sequence, and the index of the frame at a time, from 0.
/// The number is 0 for continuous motion.
std::size_t frame_count(const MovingScene& scene);
std::size_t frame_at(const MovingScene& scene, double time_s);

}  // namespace mote
