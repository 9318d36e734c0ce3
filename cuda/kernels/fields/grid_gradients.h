#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "cuda/kernels/fields/encoded_parts.h"
#include "cuda/kernels/fields/gradient_sums.h"

namespace mote::cuda {

/// The gradients of a grid's parameters at some positions.
struct GridGradientArgs {
  GridConfig config;
  const GridLevel* levels;          // [levels], on the device
  const float* positions;           // [dimensions][stride]
  const std::uint32_t* d_features;  // [levels][features / 2][stride], halves, times loss_scale
  unsigned count;                   // positions, at most kMostGradientSamples
  std::size_t stride;
  float loss_scale;
  /// [entries of all levels][features], see grid_sums.h; added to. run_table_update() sets them to
  /// zero again.
  void* sums;
  /// Number of gradients of features that were not finite, which are left out; added to.
  unsigned* non_finite;
  const unsigned* known = nullptr;      // see sample_count()
  const EncodedParts* parts = nullptr;  // as in GridEncodingArgs
};

inline constexpr unsigned kMostGradientSamples = 1u << 24;

/// Adds the gradients of the positions to the sums. A warp whose lanes lie in few cells adds the
/// gradients of each cell first. CHECKs has_grid_kernels().
void run_grid_gradients(const GridGradientArgs& args, GradientSums kind, cudaStream_t stream);

}  // namespace mote::cuda
