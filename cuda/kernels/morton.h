#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace mote::cuda {

/// Six numbers that bound the finite means: of each axis the lowest, then of each the highest,
/// written so that all bits set stands for no mean at all and less for a wider box.
inline constexpr unsigned kMeanBounds = 6;

/// Widens the bounds by the means of `count` splats of raw geometry, [blocks][kFieldCount][16].
void run_mean_bounds(const float* geometry, unsigned count, unsigned* bounds, cudaStream_t stream);

struct MortonArgs {
  const float* geometry;
  unsigned count;
  const unsigned* bounds;  // [kMeanBounds]
  std::uint64_t* keys;     // [count] written: morton_key() of each splat
  std::uint32_t* numbers;  // [count] written: 0 .. count - 1
};

void run_morton_keys(const MortonArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
