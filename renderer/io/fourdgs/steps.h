#pragma once

// Steps between stored numbers that depend on the life of a splat: section 6.3 of the format's
// text.

#include <algorithm>
#include <cmath>

#include "io/fourdgs/records.h"

namespace mote::fourdgs {

/// The step of velocities, which is finer for longer lives: an error shows as a displacement.
inline double motion_step(const Quantization& q, double cutoff, double sigma, bool never_fades,
                          const Window& window) {
  const double half =
      std::clamp(never_fades ? window.end - window.begin : std::sqrt(-2 * std::log(cutoff)) * sigma,
                 0.02, 2.0);
  return q.motion * std::exp2(-std::clamp(std::ceil(std::log2(half / 0.5)), -4.0, 2.0));
}

/// The step of times, which is finer for shorter lives.
inline double time_step(const Quantization& q, double sigma, bool never_fades) {
  const double target = never_fades ? q.time : std::min(q.time, 0.05 * sigma);
  return q.time * std::exp2(std::clamp(std::floor(std::log2(target / q.time)), -10.0, 0.0));
}

}  // namespace mote::fourdgs
