#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace mote::cuda {

/// A picture of floats as texels of 8 bits a channel, rounded as PNG files and present/texels.h
/// are.
struct TexelArgs {
  const float* rgb;       // [count][3], display values
  std::uint32_t* texels;  // [count]: RGBA from the lowest byte on, opaque
  unsigned count;
  bool blue_first;  // BGRA
};

void run_texels(const TexelArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
