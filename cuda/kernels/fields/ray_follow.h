#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "cuda/kernels/fields/field_values.h"
#include "cuda/kernels/fields/ray_march.h"
#include "cuda/kernels/fields/ray_picture.h"
#include "cuda/kernels/fields/sample_light.h"
#include "cuda/kernels/fields/stage_ticks.h"

namespace mote::cuda {

/// A field that rays pass through: a volume with one network, or a NeRF with two.
struct RayField {
  FieldTables first;  // the grid with the only network, or with that of densities
  // The colours of a NeRF:
  NetworkShape color;
  const uint4* color_weights;       // NetworkWeightsArgs::blocks; null: a volume
  const std::uint32_t* directions;  // [rays][direction_words]: pairs of halves
  int direction_words;
  SampleLight light;
  SoftDensity soft;
};

/// Rays from their start to their end.
struct RayFollowArgs {
  RayField field;
  DeviceCells cells;
  MarchSettings settings;
  const RayStart* starts;
  unsigned count;
  float box_min, box_size;          // of the grid's cube, on each axis
  float stop;                       // a ray ends where less light is left
  DrawnColor* drawn;                // [count]; null: not needed
  RayPicture picture;               // is drawn
  unsigned* next;                   // number of the first ray that no lane has taken; 0 before
  unsigned long long* evaluations;  // number of samples; added to
  unsigned long long* stage_ticks;  // [kFieldStages]: added to; null: not needed
};

/// Whether run_ray_follow() does fields of such networks on the current device: both have the same
/// width of at most 64, and their values fit its shared memory. `color`: null for a volume.
bool can_follow_rays(const NetworkShape& first, const NetworkShape* color);

/// Marches, encodes, evaluates both networks and adds up the colours in one kernel. A lane whose
/// ray has ended takes the next one, so that warps stay full. Colours do not depend on which lane
/// takes a ray.
void run_ray_follow(const RayFollowArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
