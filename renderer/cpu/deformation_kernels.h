#pragma once

// The data of the CPU kernels of deformation fields. Values of many splats are in planes
// (fields/planes.h), in the order of the splats; geometry is in blocks, as in SplatCloud.

#include <cstddef>

#include "fields/encodings/hexplane_layout.h"
#include "splats/motions/field.h"

namespace mote {

/// Splats on their way into a field and out of it.
struct DisplaceParams {
  MotionBox<float> box;
  float share;            // the time in durations of the scene
  const float* geometry;  // [blocks][kGaussianFields][16], stored values
  float* places;          // [kHexAxes][stride], in the box: the input of the field
  std::size_t stride;     // lanes of all blocks
  const float* outputs;   // [kOffsets][stride], of the network
  float* moved;           // [blocks][kGaussianFields][16]
};

struct DisplaceBackwardParams {
  MotionBox<float> box;
  std::size_t stride;
  const float* d_moved;   // [blocks][kGaussianFields][16]
  float* d_outputs;       // [kOffsets][stride]
  const float* d_places;  // [kHexAxes][stride]
  float* d_means;         // [blocks][3][16]: through the field, without d_moved
};

/// The planes of a field at some places.
struct HexPlaneParams {
  const HexLevel* levels;
  std::size_t level_count, features;  // features of a node
  const float* planes;                // parameters of all levels
  const float* places;                // [kHexAxes][stride]
  std::size_t stride;
  float* out;  // [levels * features][stride]
};

/// The backward pass in chunks of samples: first for all planes at once, then for each plane, whose
/// nodes only one thread changes.
struct HexPlaneBackwardParams {
  HexPlaneParams forward;   // `out` is not used
  const float* d_features;  // [levels * features][stride]
  float* d_places;          // [kHexAxes][stride]
  float* d_values;          // [samples of the chunk][levels][kHexPlanes][features]
  std::size_t first;        // sample of the chunk
  float* d_planes;          // [parameters of all levels]; added to
};

/// Weights of the losses of the planes, see hex_smoothness().
struct PlaneLossParams {
  const HexLevel* levels;
  std::size_t features;
  const float* planes;
  float* d_planes;  // added to
  float space, time, still;
};

/// A step of Adam (math/adam.h). Aligned to 64 bytes.
struct AdamParams {
  float *values, *first, *second;
  const float* gradients;
  float rate, inverse_root;
};

}  // namespace mote
