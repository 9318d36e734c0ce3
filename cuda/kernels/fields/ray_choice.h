#pragma once

// The rays of a training step, chosen on the device by the numbers of the host
// (backend/ray_choice.h).

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "cuda/kernels/fields/ray_march.h"
#include "fields/applications/ray_loss.h"
#include "fields/chosen_rays.h"

namespace mote::cuda {

/// A photograph that rays are chosen from, of a pinhole camera at rest.
struct RayPhoto {
  const std::uint8_t* color;   // [height][width][channels]: display values; null: `light` has them
  const std::uint16_t* light;  // the same as halves of linear light
  const std::uint8_t* mask;    // [height][width]; null: all pixels count
  int width, height, channels;
  float origin[3];  // of the camera, in the field's frame
  PlainCamera<double> camera;
};

/// The facts of a step that change from one to the next.
struct RayChoiceStep {
  std::uint64_t seed;
  unsigned count;  // rays
  unsigned random_background;
  float background[3];  // unless it is random
};

/// The use of each chosen ray in a step.
struct RayPurposes {
  RayTarget* targets;          // [space]
  float* weights;              // [space]; 0: not trained
  std::uint32_t* photographs;  // [space]
};

struct RayChoiceArgs {
  const RayPhoto* photographs;  // [photograph_count], on the device
  unsigned photograph_count;
  const RayChoiceStep* step;  // on the device
  unsigned space;             // for rays; those from `count` on have no samples
  RayStart* starts;           // [space]
  RayPurposes rays;
};
void run_ray_choice(const RayChoiceArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
