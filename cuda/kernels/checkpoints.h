#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "cuda/kernels/frame.h"

namespace mote::cuda {

inline constexpr int kStrips = kBlendThreads / 32;  // of a macro tile, a warp each
inline constexpr int kMacroPixels = kMacroPx * kMacroPx;

/// What blending leaves for blending backwards by buckets, where it is asked to: how the pixels of
/// a macro tile stand before each 32 splats of its list, a bucket. Tile t's buckets are numbered
/// from first[t] / 32 + t on, so that no two tiles share one.
struct Checkpoints {
  /// [buckets][subtile][lane] transmittance and colour so far; what is written are the subtiles
  /// that go on.
  float4* states;
  /// [buckets][kStrips] macro tile * 16 + which of the strip's subtiles go on, a bit each; zero
  /// before.
  unsigned* strips;

  bool operator==(const Checkpoints&) const = default;
};

/// How many buckets there can be.
constexpr std::size_t bucket_capacity(std::size_t pairs, std::size_t tiles) {
  return pairs / 32 + tiles;
}

}  // namespace mote::cuda
