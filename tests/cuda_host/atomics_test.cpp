// Atomic operations with every order of threads.

#include <algorithm>

#include "cuda_host/launch_fixture.h"

namespace cuda_host {
namespace {

class Atomics : public HostRun, public testing::WithParamInterface<std::uint64_t> {
 protected:
  Atomics() { machine().schedule_seed = GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(seed, Atomics, testing::Values(0u, 1u, 2u));

constexpr unsigned kAtomicThreads = 64;
constexpr unsigned kBlocks = 3;
constexpr unsigned kAll = kAtomicThreads * kBlocks;

template <class T>
struct Cells {
  T sum, least, greatest, either, both, last, won;
};

template <class T>
struct Params {
  Cells<T>* cells;
  T* tickets;  // the result of each thread's addition
};

template <class T>
MOTE_KERNEL(kAtomicThreads)
do_all(Params<T> p) {
  const T own = static_cast<T>(blockIdx.x * blockDim.x + threadIdx.x);
  p.tickets[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(&p.cells->sum, static_cast<T>(1));
  atomicMin(&p.cells->least, own);
  atomicMax(&p.cells->greatest, own);
  atomicOr(&p.cells->either, own);
  atomicAnd(&p.cells->both, own | static_cast<T>(256));
  atomicExch(&p.cells->last, own);
  atomicCAS(&p.cells->won, static_cast<T>(1000), own);
}

template <class T>
void expect_all_done() {
  const DeviceArray<Cells<T>> cells(
      std::vector<Cells<T>>{{0, 1000, 0, 0, static_cast<T>(511), 1000, 1000}});
  const DeviceArray<T> tickets(kAll);
  ASSERT_EQ(run({kBlocks, kAtomicThreads}, do_all<T>, Params<T>{cells.data(), tickets.data()}),
            cudaSuccess);
  const Cells<T> result = cells.values()[0];
  EXPECT_EQ(result.sum, static_cast<T>(kAll));
  EXPECT_EQ(result.least, static_cast<T>(0));
  EXPECT_EQ(result.greatest, static_cast<T>(kAll - 1));
  EXPECT_EQ(result.either, static_cast<T>(255));
  EXPECT_EQ(result.both, static_cast<T>(256));
  EXPECT_LT(result.last, static_cast<T>(kAll));
  EXPECT_LT(result.won, static_cast<T>(kAll));
  std::vector<T> sorted = tickets.values();
  std::sort(sorted.begin(), sorted.end());
  for (unsigned k = 0; k < kAll; ++k) ASSERT_EQ(sorted[k], static_cast<T>(k));
}

TEST_P(Atomics, all_operations_on_int_see_every_thread) {
  expect_all_done<int>();
}
TEST_P(Atomics, all_operations_on_unsigned_see_every_thread) {
  expect_all_done<unsigned>();
}
TEST_P(Atomics, all_operations_on_64_bits_see_every_thread) {
  expect_all_done<unsigned long long>();
}

MOTE_KERNEL(kAtomicThreads) add_floats(float* sum) {
  atomicAdd(sum, 0.5f);
}

TEST_P(Atomics, floats_add_up) {
  const DeviceArray<float> sum(std::vector<float>{1.0f});
  ASSERT_EQ(run({kBlocks, kAtomicThreads}, add_floats, sum.data()), cudaSuccess);
  EXPECT_EQ(sum.values()[0], 1.0f + 0.5f * kAll);
}

TEST_F(HostRun, an_atomic_operation_on_host_memory_is_reported) {
  float sum = 0;
  EXPECT_EQ(run({1, 32}, add_floats, &sum), cudaErrorLaunchFailure);
  EXPECT_NE(last_fault().find("memory that is not the device's"), std::string::npos);
}

}  // namespace
}  // namespace cuda_host
