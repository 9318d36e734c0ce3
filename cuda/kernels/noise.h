#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "splats/kinds/splat_kind.h"

namespace mote::cuda {

/// The exploration noise of MCMC (splats/density/exploration.h), the same as the CPU's.
struct NoiseArgs {
  SplatKind kind;
  SplatMotion motion;
  float time_s;     // splats with lives move by their weight at that time
  float* geometry;  // raw, [blocks][fields of kind and motion][16]
  float scale;
  std::uint64_t seed;  // seed of the step
  unsigned count;
};

void run_noise(const NoiseArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
