#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace mote::cuda {

/// to's splat i is from's splat source[i], zero where `forget` (if not null) marks it.
struct GatherArgs {
  const float* from;  // [blocks][planes][16]
  float* to;          // likewise
  unsigned planes;
  const std::uint32_t* source;  // [count]
  const std::uint8_t* forget;   // [count] or null
  unsigned count;
};

void run_gather_planes(const GatherArgs& args, cudaStream_t stream);

/// to[i] = from[source[i]]
void run_gather(const std::uint32_t* from, std::uint32_t* to, const std::uint32_t* source,
                unsigned count, cudaStream_t stream);

/// Logit opacities above `most` become that, and their moments zero. Arrays as SplatState's.
struct LimitOpacityArgs {
  float *geometry, *first, *second;
  float most;  // logit
  unsigned count;
};

void run_limit_opacity(const LimitOpacityArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
