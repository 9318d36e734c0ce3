#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "cuda/kernels/frame.h"

namespace mote::cuda {

inline constexpr int kMacroPixels = kMacroPx * kMacroPx;

/// The checkpoints that blending writes for backward blending by buckets: the state of a macro
/// tile's pixels before each 32 splats of its list (a bucket). Tile t's buckets are numbered from
/// first[t] / 32 + t on, so that tiles do not overlap.
struct Checkpoints {
  /// [buckets][subtile][lane] transmittance and accumulated colour; written for active subtiles
  /// only.
  float4* states;
  /// [buckets][kStrips] macro tile * 16 + bit mask of the strip's active subtiles; initially zero.
  unsigned* strips;

  bool operator==(const Checkpoints&) const = default;
};

/// Upper bound on the number of buckets.
constexpr std::size_t bucket_capacity(std::size_t pairs, std::size_t tiles) {
  return pairs / 32 + tiles;
}

}  // namespace mote::cuda
