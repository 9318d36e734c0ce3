// The host side of the CUDA backend around the runtime: errors, memory, graphs.
#include "cuda/runtime/runtime.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "controls.h"
#include "cuda/runtime/dialect.h"
#include "support/thrown_by.h"

namespace mote::cuda {
namespace {

struct AddParams {
  int* values;
  unsigned count;
  int amount;
};

MOTE_KERNEL(64) add(AddParams p) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.count) p.values[i] += p.amount;
}

class CudaRuntime : public ::testing::Test {
 protected:
  CudaRuntime() { cuda_host::reset(); }
  ~CudaRuntime() override { cuda_host::reset(); }
};

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<int> values_of(const DeviceBuffer<int>& buffer, const Stream& stream) {
  std::vector<int> values(buffer.size());
  buffer.download(values, stream.get());
  stream.synchronize();
  return values;
}

void launch_add(DeviceBuffer<int>& buffer, int amount, const Stream& stream) {
  const auto count = static_cast<unsigned>(buffer.size());
  launch(add, {.blocks = blocks_for(count, 64), .threads = 64, .name = "adding"}, stream.get(),
         AddParams{buffer.data(), count, amount});
}

TEST_F(CudaRuntime, AFailureReportsCallReasonPlaceAndRemedy) {
  EXPECT_NO_THROW(check(cudaSuccess, "nothing"));
  Gpu(0, "host run 0").enter();
  const Error error = thrown_by([] { check(cudaErrorLaunchTimeout, "blending"); });
  EXPECT_TRUE(holds(error.problem(), "blending failed: "));
  EXPECT_TRUE(holds(error.problem(), "cudaErrorLaunchTimeout"));
  EXPECT_EQ(error.where(), "device cuda:0 (host run 0)");
  EXPECT_TRUE(holds(error.remedy(), "smaller size"));
}

TEST_F(CudaRuntime, ADeviceFaultIsReportedAtTheNextWaitAndNamesTheDevice) {
  Gpu(0, "host run 0").enter();
  Stream stream;
  DeviceBuffer<int> buffer("numbers");
  buffer.resize_discard(100);
  cuda_host::machine().calls_until_failure = 0;
  cuda_host::machine().failure = cudaErrorIllegalAddress;
  const Error error = thrown_by([&] { stream.synchronize(); });
  EXPECT_TRUE(holds(error.problem(), "cudaErrorIllegalAddress"));
  EXPECT_EQ(error.where(), "device cuda:0 (host run 0)");
  EXPECT_TRUE(holds(error.remedy(), "--device cpu"));
  EXPECT_TRUE(holds(thrown_by([&] { launch_add(buffer, 1, stream); }).problem(), "adding failed"));
}

TEST_F(CudaRuntime, OnlyAPersistentFailureLosesTheDevice) {
  for (const cudaError_t status :
       {cudaErrorECCUncorrectable, cudaErrorNvlinkUncorrectable, cudaErrorIllegalAddress,
        cudaErrorLaunchTimeout, cudaErrorLaunchFailure, cudaErrorAssert,
        cudaErrorIllegalInstruction, cudaErrorUnknown}) {
    EXPECT_THROW(check(status, "work"), DeviceLost) << cudaGetErrorName(status);
  }
  for (const cudaError_t status : {cudaErrorMemoryAllocation, cudaErrorInvalidValue,
                                   cudaErrorInvalidConfiguration, cudaErrorInvalidDevice}) {
    try {
      check(status, "work");
      ADD_FAILURE() << "nothing was thrown";
    } catch (const DeviceLost&) {
      ADD_FAILURE() << cudaGetErrorName(status);
    } catch (const Error&) {
    }
  }
}

TEST_F(CudaRuntime, AnUnknownErrorIsALossIfTheDeviceNoLongerAnswers) {
  constexpr auto kNewer = static_cast<cudaError_t>(721);
  const Stream stream;
  try {
    check(kNewer, "work");
    FAIL();
  } catch (const DeviceLost&) {
    FAIL() << "the device answers";
  } catch (const Error&) {
  }
  cuda_host::machine().calls_until_failure = 0;
  cuda_host::machine().failure = kNewer;
  EXPECT_THROW(stream.synchronize(), DeviceLost);
}

TEST_F(CudaRuntime, DestructorsAfterTheLossOfADeviceDoNotThrow) {
  cuda_host::machine().lazy_streams = true;
  {
    const Stream stream;
    Event event(EventUse::order);
    DeviceBuffer<int> buffer("numbers");
    PinnedBuffer<int> pinned("numbers");
    buffer.resize_discard(64);
    pinned.resize_discard(64);
    buffer.fill_bytes(0, stream.get());
    GraphCapture capture(stream.get());
    launch_add(buffer, 1, stream);
    const Graph graph = capture.finish();
    const GraphCapture unfinished(stream.get());
    launch_add(buffer, 1, stream);
    cuda_host::machine().calls_until_failure = 0;
    EXPECT_THROW(event.record(stream.get()), DeviceLost);
  }
  EXPECT_NO_THROW(Gpu(0, "host run 0").enter_quietly());
}

TEST_F(CudaRuntime, AGpuBecomesCurrentInTheCallingThread) {
  cuda_host::machine().devices = 2;
  const Gpu second(1, "host run 1");
  second.enter();
  int current = -1;
  ASSERT_EQ(cudaGetDevice(&current), cudaSuccess);
  EXPECT_EQ(current, 1);
  EXPECT_EQ(device_label(), "device cuda:1 (host run 1)");
  EXPECT_EQ(Gpu::current().label(), second.label());
  EXPECT_THROW(Gpu(2, "none").enter(), Error);
}

TEST_F(CudaRuntime, OutOfMemoryReportsSizePurposeAndFreeMemory) {
  cuda_host::machine().memory_bytes = 1'000'000;
  DeviceBuffer<float> held("what is held");
  held.resize_discard(100'000);
  DeviceBuffer<float> wanted("the optimiser's moments");
  const Error error = thrown_by([&] { wanted.resize_discard(500'000); });
  EXPECT_TRUE(holds(error.problem(), "2 MB are needed for the optimiser's moments"))
      << error.problem();
  EXPECT_TRUE(holds(error.problem(), "600 kB of 1 MB free")) << error.problem();
  EXPECT_TRUE(holds(error.remedy(), "fewer splats"));
  EXPECT_TRUE(holds(error.remedy(), "--device cpu"));
  EXPECT_EQ(wanted.size(), 0u);
  EXPECT_EQ(wanted.capacity(), 0u);
  wanted.resize_discard(100'000);  // the part that fits is still available
  EXPECT_EQ(wanted.size(), 100'000u);
}

TEST_F(CudaRuntime, ABufferGrowsByHalfAndFreesTheOldMemoryFirst) {
  cuda_host::machine().memory_bytes = 1'000'000;
  DeviceBuffer<std::byte> buffer("bytes");
  buffer.resize_discard(400'000);
  buffer.resize_discard(400'001);
  EXPECT_EQ(buffer.size(), 400'001u);
  EXPECT_EQ(buffer.capacity(), 600'000u);
  EXPECT_EQ(cuda_host::memory_use().allocations, 1u);
  buffer.resize_discard(900'000);  // half as much again just fits here
  EXPECT_EQ(buffer.capacity(), 900'000u);
  buffer.resize_discard(950'000);  // and does not fit here
  EXPECT_EQ(buffer.capacity(), 950'000u);
  buffer.resize_discard(10);
  EXPECT_EQ(buffer.size(), 10u);
  EXPECT_EQ(buffer.capacity(), 950'000u);
  buffer.release();
  EXPECT_EQ(cuda_host::memory_use().allocations, 0u);
}

TEST_F(CudaRuntime, MovedMemoryIsFreedOnce) {
  {
    DeviceBuffer<int> first("numbers"), second("numbers");
    first.resize_discard(10);
    second.resize_discard(20);
    const int* data = second.data();
    first = std::move(second);
    EXPECT_EQ(first.data(), data);
    EXPECT_EQ(first.size(), 20u);
    const DeviceBuffer<int> third(std::move(first));
    EXPECT_EQ(third.data(), data);
    EXPECT_EQ(cuda_host::memory_use().allocations, 1u);
    PinnedBuffer<int> pinned("numbers");
    pinned.resize_discard(7);
    const PinnedBuffer<int> moved(std::move(pinned));
    EXPECT_EQ(moved.span().size(), 7u);
    EXPECT_EQ(cuda_host::memory_use().pinned_allocations, 1u);
  }
  EXPECT_EQ(cuda_host::memory_use().allocations, 0u);
  EXPECT_EQ(cuda_host::memory_use().pinned_allocations, 0u);
}

TEST_F(CudaRuntime, CopiesReachTheirDestination) {
  const Stream stream;
  DeviceBuffer<int> buffer("numbers");
  buffer.resize_discard(8);
  buffer.fill_bytes(0, stream.get());
  buffer.upload(std::vector<int>{5, 6, 7}, stream.get(), 2);
  EXPECT_EQ(values_of(buffer, stream), (std::vector<int>{0, 0, 5, 6, 7, 0, 0, 0}));
  std::vector<int> two(2);
  buffer.download(two, stream.get(), 3);
  stream.synchronize();
  EXPECT_EQ(two, (std::vector<int>{6, 7}));
  EXPECT_DEATH(buffer.upload(two, stream.get(), 7), "CHECK");
  EXPECT_DEATH(buffer.download(two, stream.get(), 9), "CHECK");
}

TEST_F(CudaRuntime, ALaunchOfNoBlocksStartsNothing) {
  const Stream stream;
  cuda_host::machine().calls_until_failure = 0;
  EXPECT_NO_THROW(launch(add, {0, 64}, stream.get(), AddParams{nullptr, 0, 1}));
}

TEST_F(CudaRuntime, CapturedWorkRunsAtEachLaunchAndNotBefore) {
  const Stream stream;
  DeviceBuffer<int> buffer("numbers");
  buffer.resize_discard(100);
  buffer.fill_bytes(0, stream.get());
  GraphCapture capture(stream.get());
  launch_add(buffer, 1, stream);
  launch_add(buffer, 10, stream);
  const Graph graph = capture.finish();
  EXPECT_EQ(values_of(buffer, stream), std::vector<int>(100, 0));
  graph.launch(stream.get());
  graph.launch(stream.get());
  EXPECT_EQ(values_of(buffer, stream), std::vector<int>(100, 22));
}

MOTE_KERNEL(64) set_to_seven(AddParams p) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.count) p.values[i] = 7;
}

TEST_F(CudaRuntime, AKernelIsLoadedBeforeItsFirstLaunchInACapture) {
  cuda_host::machine().lazy_kernels = true;
  const Stream stream;
  DeviceBuffer<int> buffer("numbers");
  buffer.resize_discard(64);
  const AddParams params{buffer.data(), 64, 0};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(64);
  config.stream = stream.get();
  {
    const GraphCapture capture(stream.get());
    EXPECT_EQ(cudaLaunchKernelEx(&config, set_to_seven, params), cudaErrorStreamCaptureUnsupported)
        << "CUDA would load it here";
  }
  GraphCapture capture(stream.get());
  launch(set_to_seven, {.blocks = 1, .threads = 64, .name = "setting"}, stream.get(), params);
  const Graph graph = capture.finish();
  graph.launch(stream.get());
  EXPECT_EQ(values_of(buffer, stream), std::vector<int>(64, 7));
}

TEST_F(CudaRuntime, TheNumberOfResidentBlocksIsQueriedOnce) {
  const unsigned blocks = resident_blocks(set_to_seven, 64, "setting");
  EXPECT_GT(blocks, 0u);
  const Stream stream;
  cuda_host::machine().calls_until_failure = 1;  // finds the current device
  EXPECT_EQ(resident_blocks(set_to_seven, 64, "setting"), blocks);
}

TEST_F(CudaRuntime, ACaptureEndedByAnErrorRestoresTheStream) {
  const Stream stream;
  DeviceBuffer<int> buffer("numbers");
  buffer.resize_discard(64);
  buffer.fill_bytes(0, stream.get());
  thrown_by([&] {
    const GraphCapture capture(stream.get());
    launch_add(buffer, 1, stream);
    check(cudaErrorInvalidValue, "something");
  });
  launch_add(buffer, 3, stream);
  EXPECT_EQ(values_of(buffer, stream), std::vector<int>(64, 3));
}

TEST_F(CudaRuntime, AStreamWaitsForTheEventOfAnother) {
  cuda_host::machine().lazy_streams = true;
  const Stream first, second;
  Event begun(EventUse::timing), written(EventUse::timing);
  DeviceBuffer<int> buffer("numbers");
  buffer.resize_discard(64);
  begun.record(first.get());
  buffer.fill_bytes(0, first.get());
  launch_add(buffer, 4, first);
  written.record(first.get());
  second.wait(written);
  launch_add(buffer, 5, second);
  EXPECT_EQ(values_of(buffer, second), std::vector<int>(64, 9));
  written.synchronize();
  EXPECT_GE(written.elapsed_ms(begun), 0.0f);
}

}  // namespace
}  // namespace mote::cuda
