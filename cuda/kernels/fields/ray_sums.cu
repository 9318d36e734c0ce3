// Sums over the rays of a training step: a block for each photograph, which looks at the
// photographs of all rays. These are few, so that sorting the rays first would take longer.

#include "cuda/kernels/fields/ray_sums.h"

#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kAtOnce = 4;  // loads of a thread that wait for memory together

/// Padded, so that the threads that add up sums are in different banks.
struct ThreadRaySums {
  double value[kRaySums][kThreads + 1];
};

MOTE_DEVICE void add_ray(const RaySumArgs& args, unsigned ray, double (&sums)[kRaySums]) {
  const unsigned samples = args.drawn[ray].samples;
  sums[kFoundSamples] += samples;
  const float weight = args.weights[ray];
  if (!(weight > 0)) return;
  const RayLoss loss = args.losses[ray];
  sums[kTrainedRays] += 1;
  sums[kTrainedSamples] += samples;
  sums[kRayWeights] += static_cast<double>(weight);
  sums[kRayLosses] += static_cast<double>(loss.loss);
  sums[kRayDifferences] += static_cast<double>(loss.absolute);
  sums[kRaySquares] += static_cast<double>(loss.squared);
  for_each_ray_slope(
      loss, args.drawn[ray].color.transmittance, args.targets[ray].coverage,
      [&](int slope, float value) { sums[kRaySlopeSums + slope] += static_cast<double>(value); });
}

MOTE_KERNEL(kThreads) sum_rays(RaySumArgs args) {
  ThreadRaySums& shared = block_shared<ThreadRaySums>();
  double own[kRaySums] = {};
  for (unsigned first = threadIdx.x; first < args.count; first += kAtOnce * kThreads) {
    unsigned photographs[kAtOnce];
    MOTE_UNROLL
    for (unsigned k = 0; k < kAtOnce; ++k) {
      const unsigned ray = first + k * kThreads;
      photographs[k] = ray < args.count ? args.photographs[ray] : 0xffffffffu;
    }
    MOTE_UNROLL
    for (unsigned k = 0; k < kAtOnce; ++k) {
      if (photographs[k] == blockIdx.x) add_ray(args, first + k * kThreads, own);
    }
  }
  MOTE_UNROLL
  for (int sum = 0; sum < kRaySums; ++sum) shared.value[sum][threadIdx.x] = own[sum];
  __syncthreads();
  if (threadIdx.x >= static_cast<unsigned>(kRaySums)) return;
  double all = 0;
  for (unsigned thread = 0; thread < kThreads; ++thread) all += shared.value[threadIdx.x][thread];
  args.sums[blockIdx.x * static_cast<unsigned>(kRaySums) + threadIdx.x] = all;
}

}  // namespace

void run_ray_sums(const RaySumArgs& args, cudaStream_t stream) {
  launch(sum_rays,
         {.blocks = args.photograph_count, .threads = kThreads, .name = "adding up the losses"},
         stream, args);
}

}  // namespace mote::cuda
