#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "cuda/kernels/fields/encoded_parts.h"
#include "fields/encodings/grid_layout.h"

namespace mote::cuda {

/// Number of features with which kernels take an encoding by parts (encoded_parts.h). Such an
/// encoding has a GridConfig, too: the dimensions of positions, and as many levels of one feature
/// as the encoding has outputs, with the padding.
inline constexpr int kByParts = 1;

/// Whether there are kernels for the grid: of two or three dimensions, with 2, 4 or 8 features, or
/// kByParts.
bool has_grid_kernels(const GridConfig& config);

/// A grid at some positions.
struct GridEncodingArgs {
  GridConfig config;
  const GridLevel* levels;     // [levels], on the device; by parts, those of all grids
  const std::uint16_t* table;  // [entries of all levels, an even number][features], IEEE halves
  const float* positions;      // [dimensions][stride], from 0 to 1
  unsigned count;              // positions
  std::size_t stride;          // of planes
  std::uint32_t* features;     // [levels][features / 2][stride], two halves in a word
  const unsigned* known = nullptr;      // see sample_count()
  const EncodedParts* parts = nullptr;  // on the device, of encodings by parts
};

/// Encodes the positions. Blocks go through one level after the other, so that its table stays in
/// the caches. CHECKs has_grid_kernels().
void run_grid_encoding(const GridEncodingArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
