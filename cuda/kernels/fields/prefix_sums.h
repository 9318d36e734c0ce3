#pragma once

// Places by prefix sums, so that they do not depend on the order of threads.

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/runtime/runtime.h"
#include "lanes/lane.h"

namespace mote::cuda {

inline constexpr unsigned kSumBlock = 128;  // counts that are summed up together

/// Number of blocks of counts.
constexpr unsigned sum_blocks_of(unsigned count) {
  return blocks_for(count, kSumBlock);
}

/// `counts`: [count + sum_blocks_of(count)], which become sums for sum_before(). `total`: written.
void run_prefix_sums(std::uint32_t* counts, unsigned count, unsigned* total, cudaStream_t stream);

/// The sum of the counts before number `i`, after run_prefix_sums().
MOTE_LANE std::uint32_t sum_before(const std::uint32_t* counts, unsigned count, unsigned i) {
  return counts[i] + counts[count + i / kSumBlock];
}

}  // namespace mote::cuda
