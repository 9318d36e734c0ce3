#pragma once

#include <cuda_runtime.h>

#include "cuda/kernels/density.h"
#include "splats/density/adc.h"
#include "splats/kinds/splat_kind.h"

namespace mote::cuda {

struct AdcCounts {
  unsigned prunable, staying, candidates, cloned, split;
};

/// The input and the decisions of adaptive density control, one entry per splat.
struct AdcArgs {
  AdcLimits limits;
  SplatKind kind;
  FieldPlanes planes;
  const float* geometry;       // raw, [blocks][planes][16]
  const float* gradient_sum;   // as in DensityStatistics
  const unsigned* seen;        // likewise
  const float* radius_px;      // likewise
  const std::uint8_t* broken;  // not 0: must be removed; null: none
  unsigned count;
  double* claims;
  Fate* fates;
  AdcCounts* counts;  // initially zero
};

/// Writes claims and counts the splats that would be pruned.
void run_adc_judge(const AdcArgs& args, cudaStream_t stream);
/// Writes fates before densification, and counts splats that stay or go and the candidates.
void run_adc_sort_out(const AdcArgs& args, cudaStream_t stream);
/// Writes sort keys that order candidates first, largest claim first, with the splats' indices.
void run_adc_rank(const AdcArgs& args, std::uint64_t* keys, std::uint32_t* numbers,
                  cudaStream_t stream);
/// Clones or splits the candidates among the `count` splats `chosen` (null: all).
void run_adc_choose(const AdcArgs& args, const std::uint32_t* chosen, unsigned count,
                    cudaStream_t stream);

/// A splat's value for the prefix sums that give positions in the changed set: 1 if it is kept,
/// plus kFurther if it has a second copy.
inline constexpr std::uint64_t kFurther = std::uint64_t{1} << 32;

/// Writes the values of the prefix sums.
void run_adc_counts(const AdcArgs& args, std::uint64_t* values, cudaStream_t stream);
/// Writes the changed set: `kept` splats, then the second copies.
void run_adc_write(const AdcArgs& args, const std::uint64_t* sums, std::uint32_t kept,
                   std::uint64_t seed, const EditTarget& target, cudaStream_t stream);

}  // namespace mote::cuda
