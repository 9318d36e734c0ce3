#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "cuda/kernels/fields/encoded_parts.h"

namespace mote::cuda {

inline constexpr int kMostDirectionParts = 4;

/// The parts of an encoding in the form of kernels.
struct DirectionEncoding {
  EncodedPart parts[kMostDirectionParts];
  int part_count;
  int values;  // with the padding, which is 1
  SphericalNorms norms;
};

/// Whether kernels encode directions so: no grid, at most kMostDirectionParts parts, and no other
/// inputs than the direction and, in the last part, latents (latents_of()).
bool has_direction_kernels(const EncodingConfig& config);
/// CHECKs has_direction_kernels().
DirectionEncoding direction_encoding(const EncodingConfig& config);

/// Latents of rays, on the device.
struct RayLatents {
  const float* rows = nullptr;            // [rows][latents]; null: there are none
  const std::uint32_t* owners = nullptr;  // [count]: the row of each; null: all have the first
};

/// Directions of length 1: component `axis` of number i is directions[i * step + axis * stride].
struct DirectionArgs {
  DirectionEncoding encoding;
  const float* directions;
  std::size_t step, stride;
  RayLatents latents;
  std::uint32_t* words;  // [count][encoding.values / 2]: pairs of halves
  unsigned count;
};
void run_direction_encoding(const DirectionArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
