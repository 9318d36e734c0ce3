#pragma once

#include <cuda_runtime.h>

#include "cuda/kernels/density.h"
#include "splats/density/adc.h"

namespace mote::cuda {

struct AdcCounts {
  unsigned prunable, staying, candidates, cloned, split;
};

/// What adaptive density control looks at and what it decides, an entry a splat.
struct AdcArgs {
  AdcLimits limits;
  const float* geometry;       // raw, [blocks][kFieldCount][16]
  const float* gradient_sum;   // DensityStatistics
  const unsigned* seen;        // likewise
  const float* radius_px;      // likewise
  const std::uint8_t* broken;  // not 0 where it must go; null: none
  unsigned count;
  double* claims;
  Fate* fates;
  AdcCounts* counts;  // zero before
};

/// Writes claims, and counts who would be pruned for what they are.
void run_adc_judge(const AdcArgs& args, cudaStream_t stream);
/// Writes fates: who stays and who goes, before densification; counts those and the candidates.
void run_adc_sort_out(const AdcArgs& args, cudaStream_t stream);
/// Writes keys that put candidates in front, the largest claim first, with the splats' numbers.
void run_adc_rank(const AdcArgs& args, std::uint64_t* keys, std::uint32_t* numbers,
                  cudaStream_t stream);
/// Of the splats `chosen` (null: all), `count` of them, the candidates are cloned or split.
void run_adc_choose(const AdcArgs& args, const std::uint32_t* chosen, unsigned count,
                    cudaStream_t stream);

/// Of a splat in the running sums that give the places in the changed set: one where it is kept,
/// this where there is a further one of it.
inline constexpr std::uint64_t kFurther = std::uint64_t{1} << 32;

/// Writes what the running sums are over.
void run_adc_counts(const AdcArgs& args, std::uint64_t* values, cudaStream_t stream);
/// Writes the changed set: `kept` splats, then the further ones.
void run_adc_write(const AdcArgs& args, const std::uint64_t* sums, std::uint32_t kept,
                   std::uint64_t seed, const EditTarget& target, cudaStream_t stream);

}  // namespace mote::cuda
