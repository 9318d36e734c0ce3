// Faults of kernels are reported with kernel, block and threads, and lose the device as on CUDA.

#include "cuda_host/launch_fixture.h"

namespace cuda_host {
namespace {

using Faults = HostRun;
using FaultsDeathTest = HostRun;

struct Reports {
  unsigned* out;
};

/// The fault of a kernel that must have one.
template <class... Arguments>
std::string fault_of(Shape shape, void (*kernel)(Arguments...), Arguments... arguments) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(run(shape, kernel, arguments...), cudaErrorLaunchFailure);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "cuda_host: " + last_fault() + '\n');
  return last_fault();
}

void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nis not in: " << text;
  }
}

MOTE_KERNEL(128) barrier_that_a_warp_misses(Reports) {
  if (blockIdx.x == 1 && threadIdx.x / 32 == 2) return;
  __syncthreads();
}

TEST_F(Faults, a_barrier_that_some_threads_cannot_reach_is_reported) {
  expect_parts(fault_of({3, 128}, barrier_that_a_warp_misses, Reports{}),
               {"Reports", "block 1 of 3", "threads 0-63, 96-127 wait for the block at faults_test",
                "(barrier_that_a_warp_misses)", "threads 64-95 returned"});
}

MOTE_KERNEL(64) two_barriers(Reports) {
  if (threadIdx.x < 32) {
    __syncthreads();
  } else {
    __syncthreads();
  }
}

TEST_F(Faults, threads_that_wait_at_different_barriers_are_reported) {
  expect_parts(
      fault_of({1, 64}, two_barriers, Reports{}),
      {"block 0 of 1, thread 32 waits at faults_test.cpp:", "others of its block wait at"});
}

MOTE_KERNEL(64) shuffle_that_a_lane_misses(Reports reports) {
  if (threadIdx.x == 37) return;
  reports.out[threadIdx.x] = __shfl_sync(0xffffffffu, threadIdx.x, 0);
}

TEST_F(Faults, a_warp_operation_that_a_lane_cannot_reach_is_reported) {
  const DeviceArray<unsigned> out(64);
  expect_parts(fault_of({1, 64}, shuffle_that_a_lane_misses, Reports{out.data()}),
               {"threads 32-36, 38-63 wait for lanes at", "mask ffffffff", "37 returned"});
}

MOTE_KERNEL(32) barrier_against_shuffle(Reports reports) {
  if (threadIdx.x < 8) {
    __syncthreads();
  } else {
    reports.out[threadIdx.x] = __shfl_sync(0xffffffffu, threadIdx.x, 0);
  }
}

TEST_F(Faults, lanes_that_wait_for_the_block_while_others_wait_for_them_are_reported) {
  const DeviceArray<unsigned> out(32);
  expect_parts(fault_of({1, 32}, barrier_against_shuffle, Reports{out.data()}),
               {"threads 0-7 wait for the block", "threads 8-31 wait for lanes"});
}

MOTE_KERNEL(32) different_operations(Reports reports) {
  reports.out[threadIdx.x] =
      threadIdx.x < 16 ? __ballot_sync(0xffffffffu, 1) : __reduce_add_sync(0xffffffffu, 1u);
}

TEST_F(Faults, lanes_that_do_different_operations_are_reported) {
  const DeviceArray<unsigned> out(32);
  expect_parts(fault_of({1, 32}, different_operations, Reports{out.data()}),
               {"thread 16 does another operation than the lanes that it meets"});
}

MOTE_KERNEL(32) lane_outside_its_mask(Reports) {
  __syncwarp(0x7fffffffu);
}

TEST_F(Faults, a_lane_that_is_not_in_its_own_mask_is_reported) {
  expect_parts(fault_of({1, 32}, lane_outside_its_mask, Reports{}),
               {"thread 31 is not in its own mask", "7fffffff"});
}

MOTE_KERNEL(32) trap_in_one_thread(Reports) {
  if (blockIdx.x == 4 && threadIdx.x == 9) __trap();
  __syncthreads();
}

TEST_F(Faults, a_trap_is_reported) {
  expect_parts(fault_of({6, 32}, trap_in_one_thread, Reports{}),
               {"block 4 of 6, thread 9 trapped at faults_test.cpp:"});
}

TEST_F(Faults, a_fault_loses_the_device_until_the_machine_is_reset) {
  const DeviceArray<unsigned> out(32);
  fault_of({6, 32}, trap_in_one_thread, Reports{});
  void* more = nullptr;
  EXPECT_EQ(cudaMalloc(&more, 16), cudaErrorLaunchFailure);
  EXPECT_EQ(run({1, 32}, lane_outside_its_mask, Reports{}), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchFailure);  // cannot be cleared
  reset();
  EXPECT_EQ(last_fault(), "");
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

MOTE_KERNEL(64) barrier_against_nothing(Reports) {
  __syncthreads();
  __syncwarp();
}

/// The interpreter's state after a fault must not affect the next kernel.
TEST_F(Faults, kernels_run_normally_after_a_fault) {
  for (const std::uint64_t seed : {0u, 5u}) {
    reset();
    machine().schedule_seed = seed;
    fault_of({3, 128}, barrier_that_a_warp_misses, Reports{});
    reset();
    EXPECT_EQ(run({2, 64}, barrier_against_nothing, Reports{}), cudaSuccess);
  }
}

struct Large {
  float values[12288 + 1];
};

MOTE_KERNEL(32) too_much_shared(Reports) {
  mote::cuda::block_shared<Large>().values[0] = 0;
}

TEST_F(Faults, shared_memory_beyond_the_limit_of_a_block_is_reported) {
  expect_parts(fault_of({1, 32}, too_much_shared, Reports{}), {"needs 49156 bytes", "49152"});
}

// Planted bugs: accesses out of bounds. The guard page ends the program, with and without the
// sanitizer.

MOTE_KERNEL(128) write_one_each(Reports reports) {
  reports.out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

TEST_F(FaultsDeathTest, a_write_past_the_end_of_device_memory_ends_the_program_with_a_report) {
  const DeviceArray<unsigned> out(300);  // three blocks without a guard in the kernel
  EXPECT_DEATH(run({3, 128}, write_one_each, Reports{out.data()}),
               "Reports.*, block 2 of 3, thread 44 touches 0x[0-9a-f]+: "
               "0 bytes past the end of an allocation of 1200 bytes");
}

TEST_F(FaultsDeathTest, freed_memory_cannot_be_accessed) {
  unsigned* freed = nullptr;
  ASSERT_EQ(cudaMalloc(&freed, 512), cudaSuccess);
  ASSERT_EQ(cudaFree(freed), cudaSuccess);
  EXPECT_DEATH(run({1, 128}, write_one_each, Reports{freed}),
               "block 0 of 1, thread 0 touches .*not allocated, or not any more");
}

struct Row {
  unsigned values[64];
};

MOTE_KERNEL(64) read_the_next_of_shared(Reports reports) {
  Row& row = mote::cuda::block_shared<Row>();
  row.values[threadIdx.x] = threadIdx.x;
  __syncthreads();
  const volatile unsigned* values = row.values;  // hides the planted bug from the compiler
  reports.out[threadIdx.x] = values[threadIdx.x + 1];
}

TEST_F(FaultsDeathTest, a_read_past_the_end_of_shared_memory_ends_the_program_with_a_report) {
  const DeviceArray<unsigned> out(64);
  EXPECT_DEATH(run({1, 64}, read_the_next_of_shared, Reports{out.data()}),
               "thread 63 touches 0x[0-9a-f]+: 0 bytes past the end of an allocation of 256 bytes");
}

MOTE_KERNEL(64) read_the_next_of_dynamic(Reports reports) {
  const volatile unsigned* values = mote::cuda::dynamic_shared<unsigned>();
  reports.out[threadIdx.x] = values[threadIdx.x + 1];
}

TEST_F(FaultsDeathTest, dynamic_shared_memory_ends_at_the_size_of_the_launch) {
  const DeviceArray<unsigned> out(64);
  EXPECT_DEATH(run({1, 64, 256}, read_the_next_of_dynamic, Reports{out.data()}),
               "thread 63 touches 0x[0-9a-f]+: 0 bytes past the end of an allocation of 256 bytes");
}

}  // namespace
}  // namespace cuda_host
