#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "splats/motion_trails.h"

namespace mote {

/// The ways of some splats of a streamed scene: of the parts that are on the device. Thread safe.
class PartTrails {
 public:
  /// Splats of a part that are followed.
  static constexpr std::size_t kMostOfPart = 64;

  void put(std::uint32_t part, std::shared_ptr<const MotionTrails> trails);
  void drop(std::uint32_t part);
  /// As MotionTrails::at(): at most MotionTrails::kMost ways, evenly from those that are at least a
  /// twentieth as fast as the fastest ones of all parts. They are kept for calls with the same
  /// times until a part comes or goes.
  std::shared_ptr<const MotionWays> at(double time_s, double length_s) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::uint32_t, std::shared_ptr<const MotionTrails>> parts_;
  std::uint64_t changes_ = 0;  // of the parts
  mutable LastWays last_;
};

}  // namespace mote
