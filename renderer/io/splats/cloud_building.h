#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "io/splats/scene_format.h"
#include "splats/splat_cloud.h"

namespace mote {

/// What one read call brings in; a multiple of what disks like, small beside any scene.
inline constexpr std::size_t kReadChunkBytes = std::size_t{4} << 20;

/// The DC coefficient of a colour c is (c - 0.5) / kShC0.
inline constexpr float kShC0 = 0.28209479177387814f;

/// A cloud of `count` splats whose number a file of that `name` claims (and, as far as can be told
/// beforehand, holds). Throws Error where this machine has not the memory for it.
SplatCloud make_cloud(std::uint64_t count, int sh_degree, const std::string& name);

/// The SH degree of a file with this many coefficients above DC over all three channels; -1 where
/// there is none.
constexpr int sh_degree_of_rest(std::size_t rest_values) {
  for (int degree = 0; degree <= kMaxShDegree; ++degree) {
    if (rest_values == static_cast<std::size_t>(sh_coefficient_count(degree) - 1) * 3) {
      return degree;
    }
  }
  return -1;
}

inline void report(const ProgressCallback& progress, double fraction) {
  if (progress) progress(fraction);
}

/// Calls work(begin, end) for pieces of [0, count), a multiple of 64 long but for the last, from
/// any thread; an exception of any is rethrown.
void in_parallel(std::size_t count, const std::function<void(std::size_t, std::size_t)>& work);

/// Adds a warning where splats hold values that are not finite (infinite opacities are meant, and
/// pass).
void warn_of_non_finite(SplatCloud& cloud);

}  // namespace mote
