#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace mote::cuda {

/// Converts a float picture to texels with 8 bits per channel, rounded as in PNG files and
/// present/texels.h.
struct TexelArgs {
  const float* rgb;       // [count][3], display values
  std::uint32_t* texels;  // [count]: RGBA from the lowest byte, opaque
  unsigned count;
  bool blue_first;  // BGRA
};

void run_texels(const TexelArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
