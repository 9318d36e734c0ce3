#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace mote::cuda {

/// Rounds `count` coefficients, an even number, to half precision, of which it writes the bits.
/// Larger ones than a half can have are clamped.
struct HalfHarmonicsArgs {
  const float* from;
  std::uint16_t* to;
  std::size_t count;
};

void run_half_harmonics(const HalfHarmonicsArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
