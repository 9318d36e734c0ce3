#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "splats/kinds/fields.h"

namespace mote::cuda {

/// Six numbers that bound the finite means: the minimum of each axis, then the maximum of each.
/// They are encoded so that all bits set means no mean and smaller values mean a wider box.
inline constexpr unsigned kMeanBounds = 6;

/// Raw geometry on the device.
struct GeometrySource {
  FieldPlanes planes;
  const float* geometry;  // [blocks][planes][16]
  unsigned count;         // splats
};

/// Extends the bounds by the means of the splats.
void run_mean_bounds(const GeometrySource& splats, unsigned* bounds, cudaStream_t stream);

struct MortonArgs {
  GeometrySource splats;
  const unsigned* bounds;  // [kMeanBounds]
  std::uint64_t* keys;     // [count] written: morton_key() of each splat
  std::uint32_t* numbers;  // [count] written: 0 .. count - 1
};

void run_morton_keys(const MortonArgs& args, cudaStream_t stream);

/// Puts the splats' time_segment(), by parts, in a scene of `duration_s` before their keys, which
/// lose their lowest bits: like morton_order() on the host, by time first. For splats with lives.
void run_segment_keys(const MortonArgs& args, double duration_s, cudaStream_t stream);

}  // namespace mote::cuda
