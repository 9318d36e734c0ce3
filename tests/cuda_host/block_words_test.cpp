// Indices, barriers and shared memory of blocks.

#include <algorithm>
#include <numeric>

#include "cuda_host/launch_fixture.h"

namespace cuda_host {
namespace {

using BlockWords = HostRun;

MOTE_KERNEL(256) write_indices(unsigned* out) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  out[at] = at + 1000000 * gridDim.x;
}

TEST_F(BlockWords, every_thread_of_every_block_runs_once_with_its_indices) {
  for (const unsigned threads : {32u, 96u, 256u, 1024u}) {
    const DeviceArray<unsigned> out(7 * threads);
    ASSERT_EQ(run({7, threads}, write_indices, out.data()), cudaSuccess);
    const std::vector<unsigned> values = out.values();
    for (unsigned k = 0; k < 7 * threads; ++k) ASSERT_EQ(values[k], k + 7000000);
  }
}

struct Numbers {
  unsigned values[256];
};

/// Tree sum in shared memory.
MOTE_KERNEL(256) sum_by_tree(const unsigned* in, unsigned* out) {
  Numbers& shared = mote::cuda::block_shared<Numbers>();
  shared.values[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared.values[threadIdx.x] += shared.values[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = shared.values[0];
}

TEST_F(BlockWords, a_tree_sum_in_shared_memory_is_right_in_any_order) {
  std::vector<unsigned> in(5 * 256);
  std::iota(in.begin(), in.end(), 1u);
  const DeviceArray<unsigned> from(in);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    machine().schedule_seed = seed;
    const DeviceArray<unsigned> out(5);
    ASSERT_EQ(run({5, 256}, sum_by_tree, from.data(), out.data()), cudaSuccess) << last_fault();
    for (unsigned k = 0; k < 5; ++k) {
      const auto first = in.begin() + k * 256;
      EXPECT_EQ(out.values()[k], std::accumulate(first, first + 256, 0u));
    }
  }
}

MOTE_KERNEL(128) count_predicates(int* counts, int* any, int* all) {
  const int thread = static_cast<int>(threadIdx.x);
  for (int limit = 0; limit <= 128; ++limit) {
    const int count = __syncthreads_count(thread < limit);
    const int some = __syncthreads_or(thread < limit ? 4 : 0);
    const int every = __syncthreads_and(thread < limit ? 2 : 0);
    if (thread == (limit * 7) % 128) {
      counts[limit] = count;
      any[limit] = some;
      all[limit] = every;
    }
  }
}

TEST_F(BlockWords, barriers_count_predicates) {
  for (const std::uint64_t seed : {0u, 1u, 2u}) {
    machine().schedule_seed = seed;
    const DeviceArray<int> counts(129), any(129), all(129);
    ASSERT_EQ(run({1, 128}, count_predicates, counts.data(), any.data(), all.data()), cudaSuccess);
    for (int limit = 0; limit <= 128; ++limit) {
      const auto at = static_cast<std::size_t>(limit);
      EXPECT_EQ(counts.values()[at], limit);
      EXPECT_EQ(any.values()[at], limit > 0 ? 1 : 0);
      EXPECT_EQ(all.values()[at], limit == 128 ? 1 : 0);
    }
  }
}

MOTE_KERNEL(64) read_fresh_shared(unsigned* fixed, unsigned* dynamic) {
  Numbers& shared = mote::cuda::block_shared<Numbers>();
  unsigned* numbers = mote::cuda::dynamic_shared<unsigned>();
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  fixed[at] = shared.values[threadIdx.x];
  dynamic[at] = numbers[threadIdx.x];
  shared.values[threadIdx.x] = numbers[threadIdx.x] = at;
}

TEST_F(BlockWords, shared_memory_has_every_bit_set_when_a_block_starts) {
  const DeviceArray<unsigned> fixed(3 * 64), dynamic(3 * 64);
  ASSERT_EQ(run({3, 64, 64 * sizeof(unsigned)}, read_fresh_shared, fixed.data(), dynamic.data()),
            cudaSuccess);
  for (const unsigned value : fixed.values()) EXPECT_EQ(value, 0xffffffffu);
  for (const unsigned value : dynamic.values()) EXPECT_EQ(value, 0xffffffffu);
}

MOTE_KERNEL(64) note_order(unsigned* next, unsigned* order) {
  order[atomicAdd(next, 1u)] = blockIdx.x * blockDim.x + threadIdx.x;
}

std::vector<unsigned> order_of_threads(std::uint64_t seed) {
  reset();
  machine().schedule_seed = seed;
  const DeviceArray<unsigned> next(std::vector<unsigned>{0}), order(4 * 64);
  EXPECT_EQ(run({4, 64}, note_order, next.data(), order.data()), cudaSuccess);
  return order.values();
}

TEST_F(BlockWords, threads_run_upwards_unless_a_seed_shuffles_them) {
  std::vector<unsigned> upwards(4 * 64);
  std::iota(upwards.begin(), upwards.end(), 0u);
  EXPECT_EQ(order_of_threads(0), upwards);
  const std::vector<unsigned> shuffled = order_of_threads(1);
  EXPECT_NE(shuffled, upwards);
  EXPECT_NE(shuffled, order_of_threads(2));
  std::vector<unsigned> sorted = shuffled;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, upwards);
}

}  // namespace
}  // namespace cuda_host
