#pragma once

// The way of splats into a deformation field and out of it (splats/motions/field.h). Values of many
// splats are in planes, in the order of the splats.

#include <cuda_runtime.h>

#include <cstddef>

#include "fields/encodings/hexplane_layout.h"
#include "splats/motions/field.h"

namespace mote::cuda {

struct DisplaceArgs {
  MotionBox<float> box;
  float share;            // the time in durations of the scene
  const float* geometry;  // [blocks][kGaussianFields][16], stored values
  unsigned count;         // splats
  std::size_t stride;     // of planes
  float* places;          // [kHexAxes][stride], in the box: the input of the field
  const float* outputs;   // [kOffsets][stride], of the network
  float* moved;           // [blocks][kGaussianFields][16]
};

/// Writes the places.
void run_place_splats(const DisplaceArgs& args, cudaStream_t stream);
/// Writes the moved splats.
void run_displace_splats(const DisplaceArgs& args, cudaStream_t stream);

struct DisplaceGradientArgs {
  MotionBox<float> box;
  unsigned count;  // splats
  std::size_t stride;
  const float* d_moved;   // [blocks][kGaussianFields][16]
  unsigned* largest;      // of the gradients by outputs, see gradient_scale(); initially zero
  float* d_outputs;       // [kOffsets][stride], times gradient_scale()
  const float* d_places;  // [parts][kHexAxes][stride], with the same factor
  int parts;
  float* d_means;  // [blocks][3][16]: through the field, without d_moved
  float* d_share;  // [count]: by the time in durations
};

/// Writes the gradients by the outputs.
void run_displace_gradients(const DisplaceGradientArgs& args, cudaStream_t stream);
/// Writes those by the means and the time.
void run_place_gradients(const DisplaceGradientArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
