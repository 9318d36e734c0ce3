#pragma once

#include <chrono>

namespace mote {

using SteadyClock = std::chrono::steady_clock;

/// Milliseconds since `start`.
inline double ms_since(SteadyClock::time_point start) {
  return std::chrono::duration<double, std::milli>(SteadyClock::now() - start).count();
}

}  // namespace mote
