#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "io/splats/scene_format.h"
#include "splats/splat_cloud.h"

namespace mote {

/// Size of one read call: a multiple of disk blocks, small compared with any scene.
inline constexpr std::size_t kReadChunkBytes = std::size_t{4} << 20;

/// The DC coefficient of a colour c is (c - 0.5) / kShC0.
inline constexpr float kShC0 = 0.28209479177387814f;

/// A cloud of `count` splats for a file of that `name`; the count comes from the file, checked as
/// far as possible. Throws Error where this machine has too little memory.
SplatCloud make_cloud(std::uint64_t count, const SplatForm& form, const std::string& name);
inline SplatCloud make_cloud(std::uint64_t count, int sh_degree, SplatKind kind,
                             const std::string& name) {
  return make_cloud(count, SplatForm{kind, sh_degree}, name);
}

/// The SH degree of a file with this many coefficients above DC over all three channels; -1 where
/// no degree has that many.
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

/// Calls work(begin, end) for ranges that cover [0, count), from any thread. All but the last have
/// a multiple of 64 elements. An exception is rethrown.
void in_parallel(std::size_t count, const std::function<void(std::size_t, std::size_t)>& work);

/// Adds a warning where splats hold values that are not finite. Infinite opacities are valid.
void warn_of_non_finite(SplatCloud& cloud);

}  // namespace mote
