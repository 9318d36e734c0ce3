#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "fields/encodings/grid_layout.h"

namespace mote::cuda {

/// How gradients of entries are added up.
enum class GradientSums {
  fixed_point,  // in integers of 64 bits: the result does not depend on the order
  floats        // in floats by atomic operations, in any order
};

/// The gradients of a grid's parameters at some positions.
struct GridGradientArgs {
  GridConfig config;
  const GridLevel* levels;          // [levels], on the device
  const float* positions;           // [dimensions][stride]
  const std::uint32_t* d_features;  // [levels][features / 2][stride], halves, times loss_scale
  unsigned count;                   // positions, at most kMostGradientSamples
  std::size_t stride;
  float loss_scale;
  /// [entries of all levels][features], of 8 bytes (fixed point) or 4 bytes (floats); zero before
  /// the first call. finish_grid_gradients() sets them to zero again.
  void* sums;
  /// Number of gradients of features that were not finite, which are left out; added to.
  unsigned* non_finite;
};

inline constexpr unsigned kMostGradientSamples = 1u << 24;

/// Adds the gradients of the positions to the sums. A warp whose lanes lie in few cells adds the
/// gradients of each cell first. CHECKs has_grid_kernels().
void run_grid_gradients(const GridGradientArgs& args, GradientSums kind, cudaStream_t stream);

/// gradients[i] = the sum, divided by the loss scale, for all of `parameters`. `args` are those of
/// the only call of run_grid_gradients() since the sums were zero.
void finish_grid_gradients(const GridGradientArgs& args, GradientSums kind, std::size_t parameters,
                           float* gradients, cudaStream_t stream);

}  // namespace mote::cuda
