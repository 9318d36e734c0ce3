#pragma once

// Sums over the rays of a training step, by photograph.

#include <cuda_runtime.h>

#include <cstdint>

#include "fields/applications/compositing.h"
#include "fields/applications/ray_loss.h"

namespace mote::cuda {

enum RaySum : int {
  kTrainedRays,
  kTrainedSamples,
  kFoundSamples,  // with those of rays whose samples found no space
  kRayWeights,
  kRayLosses,  // this and the next two: sums over the channels, times the weights
  kRayDifferences,
  kRaySquares,
  kRaySlopeSums,  // see for_each_ray_slope()
  kRaySums = kRaySlopeSums + kRaySlopes
};

struct RaySumArgs {
  const RayLoss* losses;             // [count]
  const DrawnColor* drawn;           // [count]
  const RayTarget* targets;          // [count]
  const float* weights;              // [count]; 0: not trained
  const std::uint32_t* photographs;  // [count]
  unsigned count;
  unsigned photograph_count;
  double* sums;  // [photograph_count][kRaySums]; written
};

/// Adds up in a fixed order, whatever the device.
void run_ray_sums(const RaySumArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
