#pragma once

#include "backend/backend.h"

namespace mote {

/// Milliseconds in the parts of evaluating a field, since they were last taken.
struct FieldTimes {
  double march_ms = 0, encode_ms = 0, network_ms = 0;
};

/// Sets the times of a frame of `total_ms`, and starts again.
inline void take_times(FieldTimes& times, double total_ms, FrameStats& stats) {
  stats.total_ms = total_ms;
  stats.march_ms = times.march_ms;
  stats.encode_ms = times.encode_ms;
  stats.network_ms = times.network_ms;
  stats.compose_ms = total_ms - times.march_ms - times.encode_ms - times.network_ms;
  times = {};
}

}  // namespace mote
