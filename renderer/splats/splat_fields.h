#pragma once

// The layout of stored splats, for kernels. The class that owns them is SplatCloud.

#include <cstddef>

namespace mote {

/// The stored geometry of one splat, in storage order. Scales are logs, opacity is a logit, the
/// quaternion is w, x, y, z and need not have unit length.
enum class Field : int {
  mean_x,
  mean_y,
  mean_z,
  log_scale_x,
  log_scale_y,
  log_scale_z,
  rotation_w,
  rotation_x,
  rotation_y,
  rotation_z,
  logit_opacity,
};

inline constexpr int kFieldCount = 11;
inline constexpr int kMaxShDegree = 4;
/// Splats are stored in blocks of 16. Within a block each field is 16 contiguous floats, so that a
/// vector of any width up to 16 loads without a gather. Blocks are 64-byte aligned.
inline constexpr std::size_t kBlockSize = 16;

constexpr int sh_coefficient_count(int degree) {
  return (degree + 1) * (degree + 1);
}

}  // namespace mote
