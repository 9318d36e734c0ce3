#pragma once

#include <chrono>

namespace mote {

/// Seconds since a fixed moment, the same for all threads.
inline double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace mote
