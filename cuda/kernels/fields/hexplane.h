#pragma once

// HexPlanes at many places (fields/encodings/hexplane.h), forward and backward.

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "fields/encodings/hexplane_layout.h"

namespace mote::cuda {

struct HexPlaneArgs {
  const HexLevel* levels;     // [level_count], on the device
  int level_count, features;  // features of a node: a multiple of kHexFeatureUnit
  const float* planes;        // parameters of all levels, aligned to 16 bytes
  const float* places;        // [kHexAxes][stride]
  unsigned count;             // places
  std::size_t stride;
};

/// Writes the features, [level_count * features / 2][stride]: pairs of halves, as the kernels of
/// networks read them.
void run_hexplane_encoding(const HexPlaneArgs& args, std::uint32_t* features, cudaStream_t stream);

struct HexPlaneGradientArgs {
  HexPlaneArgs forward;
  const std::uint32_t* d_features;  // as the features; may have a factor
  /// [parameters of all levels]: sums in fixed point (grid_sums.h), which do not depend on the
  /// order of the places; added to. gradient_of_sum() has the factor.
  unsigned long long* sums;
  float* d_places;  // [hexplane_parts()][kHexAxes][stride]: their sum is the gradient; written
};

/// Number of parts of the gradients of places.
int hexplane_parts(int level_count, int features);

/// Gradients beyond the range of halves, and those that are not finite, are left out.
void run_hexplane_gradients(const HexPlaneGradientArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
