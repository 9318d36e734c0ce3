#pragma once

// Derivatives of a field's first output by the position, and the eikonal loss on them. A loss on
// the slopes g has the gradient by parameters of the rate of the output along d = dL/dg, with d
// constant: features change at rates along d, through the network and back.

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "cuda/kernels/fields/grid_gradients.h"

namespace mote::cuda {

/// The slopes at some positions of a grid of three dimensions, and their loss. Encodings by parts
/// have no spherical harmonics.
struct GridSlopeArgs {
  GridConfig config;                // not of the nearest point
  const GridLevel* levels;          // [levels], on the device
  const std::uint16_t* table;       // as in GridEncodingArgs
  const float* positions;           // [3][stride]
  const std::uint32_t* d_features;  // [levels][features / 2][stride]: of the output, halves
  unsigned count;
  std::size_t stride;
  float scale;        // factor of the loss's gradients
  float* velocities;  // [3][stride]: the gradients of the loss by the slopes; written
  double* parts;      // [grid_slope_parts(count)]: sums of the loss, in a fixed order; written
  const EncodedParts* encoding = nullptr;  // GridEncodingArgs::parts
};
unsigned grid_slope_parts(unsigned count);
void run_grid_slopes(const GridSlopeArgs& args, cudaStream_t stream);

/// The changes of features while positions move with the velocities.
struct GridRateArgs {
  GridConfig config;
  const GridLevel* levels;
  const std::uint16_t* table;
  const float *positions, *velocities;  // [3][stride]
  unsigned count;
  std::size_t stride;
  std::uint32_t* rates;                    // [levels][features / 2][stride], halves; written
  const EncodedParts* encoding = nullptr;  // GridEncodingArgs::parts
};
void run_grid_rates(const GridRateArgs& args, cudaStream_t stream);

/// Adds the gradients by the table from those by the rates, GridGradientArgs::d_features, to the
/// sums. Velocities have the loss scale, the gradients do not. A sum's addend is at most the
/// largest half.
void run_grid_rate_gradients(const GridGradientArgs& args, const float* velocities,
                             GradientSums kind, cudaStream_t stream);

}  // namespace mote::cuda
