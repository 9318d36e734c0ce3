#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/viewer/scene_clock.h"
#include "scene/splat_cloud.h"

namespace mote {

/// Where the view stands in time, and whether it goes on from there.
struct TimeWish {
  double time_s = 0;
  bool playing = false;
};

/// What a moving scene looks like.
struct Moment {
  std::uint64_t number = 0;  // another one wherever the splats differ
  std::shared_ptr<const SplatCloud> splats;
  bool exact = true;  // at the time asked for; else near it: what belongs there is on its way
};

/// A stretch of time, s.
struct TimeSpan {
  double from_s = 0, to_s = 0;
};

/// A scene that looks different at different times: the one place that is asked from when to when
/// it moves, and for its splats at a time. Its splats as its file has them; placing, cropping and
/// colouring them is for others. The view's thread has it, but for what is const, which is thread
/// safe.
class MovingScene {
 public:
  virtual ~MovingScene() = default;

  virtual TimeRange range() const = 0;
  /// How many different pictures a second there are; 0 where it moves smoothly.
  virtual double frames_per_second() const = 0;
  /// Nothing where it moves smoothly: its times are its file's.
  virtual void set_frames_per_second(double rate) = 0;
  /// How much it may keep of what it has read, or reads ahead of time.
  virtual void set_memory_bytes(std::size_t bytes) = 0;

  /// The best that there is for the time, without waiting; makes what it lacks, and what comes
  /// next, ready meanwhile.
  virtual Moment look_at(const TimeWish& wish) = 0;
  /// What went wrong meanwhile, a sentence each.
  virtual std::vector<std::string> take_faults() = 0;

  /// Moment::number of the time.
  virtual std::uint64_t moment_at(double time_s) const = 0;
  /// The splats of the time, however long that takes: for workers. Throws Error where they cannot
  /// be had.
  virtual SplatCloud splats_at(double time_s) const = 0;
  /// What is seen then, for a person: the name of a file; may be empty.
  virtual std::string name_at(double time_s) const = 0;
  /// The times that can be shown at once, ascending.
  virtual std::vector<TimeSpan> ready() const = 0;

 protected:
  MovingScene() = default;
  MovingScene(const MovingScene&) = default;
  MovingScene& operator=(const MovingScene&) = default;
};

/// Frames of a scene that is made of some: their number, and which one belongs to a time, from 0. 0
/// frames where it moves smoothly.
std::size_t frame_count(const MovingScene& scene);
std::size_t frame_at(const MovingScene& scene, double time_s);

}  // namespace mote
