#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "cuda/kernels/frame.h"

namespace mote::cuda {

inline constexpr int kMacroPixels = kMacroPx * kMacroPx;

/// The checkpoints that blending writes for backward blending: the state of a macro tile's pixels
/// before each piece of its list, that is each `spacing` splats. Different pieces can then be
/// blended backwards at once. Tile t's pieces are numbered from first[t] / spacing + t on, so that
/// tiles do not overlap. The state before a tile's first piece is that of empty pixels and has no
/// memory: the state before its piece p > 0 is number first[t] / spacing + p.
struct Checkpoints {
  /// [state_capacity()][subtile][lane] transmittance, 0 for stopped pixels, and accumulated colour;
  /// written for active subtiles only. Null: no checkpoints.
  float4* states;
  /// [piece_capacity()][kStrips] macro tile * 16 + bit mask of the strip's active subtiles; not
  /// written for strips without; initially zero.
  unsigned* strips;
  unsigned spacing;  // a multiple of 32

  bool operator==(const Checkpoints&) const = default;
};

/// Splats of a piece, for each form of the backward pass.
inline constexpr unsigned kPieceSplats = 512, kBucketSplats = 32;

/// Upper bound on the number of pieces of a frame.
constexpr std::size_t piece_capacity(std::size_t pairs, std::size_t tiles, std::size_t spacing) {
  return pairs / spacing + tiles;
}

constexpr std::size_t state_capacity(std::size_t pairs, std::size_t spacing) {
  return pairs / spacing + 1;
}

}  // namespace mote::cuda
