#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace mote::cuda {

/// The exploration noise of MCMC (splats/density/exploration.h), the same as the CPU's.
struct NoiseArgs {
  float* geometry;  // raw, [blocks][kFieldCount][16]
  float scale;
  std::uint64_t seed;  // seed of the step
  unsigned count;
};

void run_noise(const NoiseArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
