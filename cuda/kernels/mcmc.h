#pragma once

#include <cuda_runtime.h>

#include "cuda/kernels/density.h"
#include "splats/density/mcmc.h"

namespace mote::cuda {

struct McmcEnlistArgs {
  double dead_logit;
  FieldPlanes planes;
  const float* geometry;       // raw, [blocks][planes][16]
  const std::uint8_t* broken;  // not 0: must be removed; null: none
  unsigned count;
  McmcMember* members;     // [count] written
  std::uint64_t* weights;  // [count] written: weights for drawing, zero for the dead and the broken
  std::uint64_t* dead;     // [count] written: one for the dead and the broken
};

void run_mcmc_enlist(const McmcEnlistArgs& args, cudaStream_t stream);

/// Writes the indices of the dead, from the prefix sums of `dead`.
void run_mcmc_list_dead(const std::uint64_t* sums, unsigned count, std::uint32_t* numbers,
                        cudaStream_t stream);

/// Writes the members' weights for drawing.
void run_mcmc_weigh(const McmcMember* members, unsigned count, std::uint64_t* weights,
                    cudaStream_t stream);

struct McmcDrawArgs {
  const std::uint64_t* sums;  // [count] prefix sums of weights
  unsigned count;
  std::uint64_t seed, first_number;  // seed and first index of the random numbers, one per draw
  unsigned draws;
  std::uint32_t* winners;  // [draws] written
  unsigned* wins;          // [count] added to
};

void run_mcmc_draw(const McmcDrawArgs& args, cudaStream_t stream);

/// Shares each member's appearance with as many copies as it has wins, and resets its wins to zero.
/// `scaling` as in share().
void run_mcmc_share(McmcMember* members, unsigned* wins, unsigned count, bool scaling,
                    cudaStream_t stream);

/// Makes member targets[i], or first_target + i if targets is null, a copy of winners[i].
struct McmcCopyArgs {
  McmcMember* members;
  const std::uint32_t *winners, *targets;  // [count]; targets may be null
  unsigned first_target, count;
};

void run_mcmc_copy(const McmcCopyArgs& args, cudaStream_t stream);

/// Writes the changed set of `count` members, copies of splats of `geometry`.
void run_mcmc_write(const McmcMember* members, unsigned count, const float* geometry,
                    const EditTarget& target, cudaStream_t stream);

}  // namespace mote::cuda
