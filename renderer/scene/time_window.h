#pragma once

#include <cstdint>

namespace mote {

/// A part of the times of a scene, with its first and last moment, s. Different windows of a run
/// have different numbers.
struct TimeWindow {
  std::uint64_t number = 0;
  double from_s = 0, to_s = 0;

  bool has(double time_s) const { return from_s <= time_s && time_s <= to_s; }
  bool operator==(const TimeWindow&) const = default;
};

}  // namespace mote
