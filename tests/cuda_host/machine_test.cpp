// Devices, memory and failures as tests configure them.

#include <array>

#include "cuda_host/launch_fixture.h"

namespace cuda_host {
namespace {

using MachineControls = HostRun;

TEST_F(MachineControls, allocations_are_counted_until_they_are_freed) {
  void *first = nullptr, *second = nullptr;
  ASSERT_EQ(cudaMalloc(&first, 1000), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&second, 24), cudaSuccess);
  EXPECT_EQ(memory_use().allocations, 2u);
  EXPECT_EQ(memory_use().bytes, 1024u);
  EXPECT_EQ(cudaFree(first), cudaSuccess);
  EXPECT_EQ(memory_use().bytes, 24u);
  EXPECT_EQ(memory_use().peak_bytes, 1024u);
  EXPECT_EQ(cudaFree(first), cudaErrorInvalidValue) << "freed twice";
  EXPECT_EQ(cudaFree(second), cudaSuccess);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(memory_use().allocations, 0u);
}

TEST_F(MachineControls, memory_ends_at_the_configured_size) {
  machine().memory_bytes = 1 << 20;
  void *half = nullptr, *rest = nullptr;
  ASSERT_EQ(cudaMalloc(&half, 1 << 19), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&rest, (1 << 19) + 1), cudaErrorMemoryAllocation);
  EXPECT_EQ(rest, nullptr);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "the device is not lost";
  std::size_t free = 0, total = 0;
  EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  EXPECT_EQ(free, 1u << 19);
  EXPECT_EQ(total, 1u << 20);
  EXPECT_EQ(cudaMalloc(&rest, 1 << 19), cudaSuccess);
}

TEST_F(MachineControls, device_memory_starts_with_every_bit_set) {
  const DeviceArray<unsigned char> bytes(1000);
  EXPECT_EQ(bytes.values(), std::vector<unsigned char>(1000, 0xff));
}

TEST_F(MachineControls, copies_are_checked_for_memory_and_direction) {
  const DeviceArray<unsigned char> memory(100);
  std::array<unsigned char, 200> host{};
  EXPECT_EQ(cudaMemcpy(memory.data(), host.data(), 100, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(memory.data() + 1, host.data(), 100, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host.data(), memory.data(), 101, cudaMemcpyDeviceToHost),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host.data(), memory.data(), 10, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host.data(), host.data(), 10, cudaMemcpyDeviceToHost),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(memory.data() + 50, 0, 51), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host.data(), memory.data() + 50, 50, cudaMemcpyDefault), cudaSuccess);
}

TEST_F(MachineControls, without_a_driver_or_with_an_old_one_every_call_fails) {
  for (const int version : {0, 12080}) {
    machine().driver_version = version;
    int number = -1;
    EXPECT_EQ(cudaDriverGetVersion(&number), cudaSuccess);
    EXPECT_EQ(number, version);
    EXPECT_EQ(cudaGetDeviceCount(&number), cudaErrorInsufficientDriver);
    EXPECT_EQ(number, 0);
    EXPECT_EQ(cudaSetDevice(0), cudaErrorInsufficientDriver);
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, 4), cudaErrorInsufficientDriver);
  }
}

TEST_F(MachineControls, without_a_device_every_call_fails) {
  machine().devices = 0;
  int count = -1;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorNoDevice);
  EXPECT_EQ(count, 0);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorNoDevice);
}

TEST_F(MachineControls, devices_have_the_configured_number_and_abilities) {
  machine().devices = 2;
  machine().major = 7;
  machine().minor = 5;
  cudaDeviceProp properties{};
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 1), cudaSuccess);
  EXPECT_STREQ(properties.name, "host run 1");
  EXPECT_EQ(properties.major * 10 + properties.minor, 75);
  EXPECT_EQ(cudaGetDeviceProperties(&properties, 2), cudaErrorInvalidDevice);
  int shared = 0, device = -1;
  EXPECT_EQ(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0),
            cudaSuccess);
  EXPECT_EQ(shared, 64 * 1024);
  EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(device, 1);
  EXPECT_EQ(cudaSetDevice(2), cudaErrorInvalidDevice);
}

TEST_F(MachineControls, a_device_fails_on_request_and_stays_lost) {
  machine().calls_until_failure = 2;
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 4), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorECCUncorrectable);
  EXPECT_EQ(cudaFree(memory), cudaErrorECCUncorrectable);
}

MOTE_KERNEL(32) write_dynamic(unsigned* out, unsigned count) {
  unsigned* numbers = mote::cuda::dynamic_shared<unsigned>();
  for (unsigned k = threadIdx.x; k < count; k += blockDim.x) numbers[k] = k;
  __syncthreads();
  if (threadIdx.x == 0) *out = numbers[count - 1];
}

TEST_F(MachineControls, dynamic_shared_memory_beyond_48_KiB_must_be_requested) {
  constexpr unsigned kCount = 16384;
  const Shape shape{1, 32, kCount * sizeof(unsigned)};
  const DeviceArray<unsigned> out(1);
  EXPECT_EQ(run(shape, write_dynamic, out.data(), kCount), cudaErrorInvalidValue);
  ASSERT_EQ(cudaFuncSetAttribute(write_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(shape.dynamic_bytes)),
            cudaSuccess);
  EXPECT_EQ(run(shape, write_dynamic, out.data(), kCount), cudaSuccess);
  EXPECT_EQ(out.values()[0], kCount - 1);
  EXPECT_EQ(
      cudaFuncSetAttribute(write_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 228 * 1024),
      cudaErrorInvalidValue);
}

TEST_F(MachineControls, launches_beyond_the_limits_of_a_device_are_refused) {
  const DeviceArray<unsigned> out(1);
  for (const Shape shape : {Shape{0, 32}, Shape{1, 0}, Shape{1, 33}, Shape{1, 1056}}) {
    EXPECT_EQ(run(shape, write_dynamic, out.data(), 1u), cudaErrorInvalidConfiguration);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  }
}

TEST_F(MachineControls, errors_have_the_names_of_cuda) {
  EXPECT_STREQ(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
  EXPECT_STREQ(cudaGetErrorName(static_cast<cudaError_t>(998)), "unrecognized error code");
}

}  // namespace
}  // namespace cuda_host
