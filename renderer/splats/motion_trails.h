#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/vec3.hpp>
#include <memory>
#include <mutex>
#include <vector>

#include "splats/splat_cloud.h"
#include "splats/splat_mask.h"

namespace mote {

/// Places of splats, for each from the newest one back.
using MotionWays = std::vector<std::vector<glm::dvec3>>;

/// The ways that were asked for last: they stay the same while only the camera moves. Thread safe.
class LastWays {
 public:
  /// Calls make() only if the time, the length or the version differ from those of the last call.
  template <class Make>
  std::shared_ptr<const MotionWays> at(double time_s, double length_s, std::uint64_t version,
                                       const Make& make) {
    const Key key{time_s, length_s, version};
    const std::lock_guard lock(mutex_);
    if (ways_ == nullptr || key_ != key) {
      ways_ = std::make_shared<const MotionWays>(make());
      key_ = key;
    }
    return ways_;
  }

 private:
  struct Key {
    double time_s = 0, length_s = 0;
    std::uint64_t version = 0;

    bool operator==(const Key&) const = default;
  };

  std::mutex mutex_;
  Key key_;
  std::shared_ptr<const MotionWays> ways_;
};

/// A few splats of a cloud that move, whose ways can be drawn.
class MotionTrails {
 public:
  static constexpr std::size_t kMost = 600;

  /// Takes at most `most` splats, evenly from those that are not among `left_out`, are not faint
  /// and move with at least least_speed().
  MotionTrails(const SplatCloud& cloud, const SplatMask& left_out, std::size_t most = kMost);
  /// A twentieth of the speed of the fastest ones, the 95th percentile; 0 for none.
  static double least_speed(std::vector<double> speeds);

  bool empty() const { return few_.count() == 0; }
  /// The ways of the splats that live at `time_s`, during the last `length_s` before it: each from
  /// the newest place back to the oldest one at which the splat lived. Places are kSteps apart in
  /// time, in the frame of the cloud.
  MotionWays at(double time_s, double length_s) const;
  static constexpr int kSteps = 6;
  /// The same, which is kept for calls with the same times.
  std::shared_ptr<const MotionWays> kept_at(double time_s, double length_s) const;

 private:
  SplatCloud few_;
  mutable LastWays last_;
};

}  // namespace mote
