// Prefix sums of counts: in blocks, then of the blocks.

#include "cuda/kernels/fields/prefix_sums.h"

#include "cuda/runtime/dialect.h"

namespace mote::cuda {
namespace {

constexpr unsigned kSumThreads = 1024;  // of the block that sums up the sums of blocks

struct ThreadSums {
  std::uint32_t value[kSumThreads];
};

/// The inclusive prefix sum of the threads of a block of `threads` threads. All must call.
MOTE_DEVICE std::uint32_t inclusive_sum_of_threads(std::uint32_t own, unsigned threads,
                                                   ThreadSums& sums) {
  const unsigned i = threadIdx.x;
  sums.value[i] = own;
  for (unsigned apart = 1; apart < threads; apart *= 2) {
    __syncthreads();
    const std::uint32_t below = i >= apart ? sums.value[i - apart] : 0;
    __syncthreads();
    sums.value[i] += below;
  }
  __syncthreads();
  return sums.value[i];
}

/// Replaces counts by the sums of those before them in their block, and writes the sum of each
/// block behind them.
MOTE_KERNEL(kSumBlock) sum_in_blocks(std::uint32_t* counts, unsigned count) {
  ThreadSums& sums = block_shared<ThreadSums>();
  const unsigned i = blockIdx.x * kSumBlock + threadIdx.x;
  const std::uint32_t own = i < count ? counts[i] : 0;
  const std::uint32_t sum = inclusive_sum_of_threads(own, kSumBlock, sums);
  if (i < count) counts[i] = sum - own;
  if (threadIdx.x == kSumBlock - 1) counts[count + blockIdx.x] = sum;
}

/// Replaces the sums of blocks by those before them. One block.
MOTE_KERNEL(kSumThreads) sum_blocks(std::uint32_t* blocks, unsigned count, unsigned* total) {
  ThreadSums& sums = block_shared<ThreadSums>();
  const unsigned each = (count + kSumThreads - 1) / kSumThreads;
  const unsigned first = threadIdx.x * each < count ? threadIdx.x * each : count;
  const unsigned end = first + each < count ? first + each : count;
  std::uint32_t own = 0;
  for (unsigned i = first; i < end; ++i) own += blocks[i];
  const std::uint32_t sum = inclusive_sum_of_threads(own, kSumThreads, sums);
  std::uint32_t before = sum - own;
  for (unsigned i = first; i < end; ++i) {
    const std::uint32_t of_block = blocks[i];
    blocks[i] = before;
    before += of_block;
  }
  if (threadIdx.x == kSumThreads - 1) *total = sum;
}

}  // namespace

void run_prefix_sums(std::uint32_t* counts, unsigned count, unsigned* total, cudaStream_t stream) {
  const unsigned blocks = sum_blocks_of(count);
  launch(sum_in_blocks, {.blocks = blocks, .threads = kSumBlock, .name = "counting samples"},
         stream, counts, count);
  launch(sum_blocks, {.blocks = 1, .threads = kSumThreads, .name = "counting samples"}, stream,
         counts + count, blocks, total);
}

}  // namespace mote::cuda
