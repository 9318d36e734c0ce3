// Streams, events, captures and graphs.

#include <array>
#include <functional>

#include "cuda_host/launch_fixture.h"

namespace cuda_host {
namespace {

constexpr unsigned kCount = 128;
constexpr std::size_t kBytes = kCount * sizeof(unsigned);

MOTE_KERNEL(kCount) add_to_each(unsigned* values, unsigned amount) {
  values[threadIdx.x] = values[threadIdx.x] * 3 + amount;
}

void start_adding(cudaStream_t stream, unsigned* values, unsigned amount) {
  cudaLaunchConfig_t config{};
  config.blockDim = dim3(kCount);
  config.stream = stream;
  EXPECT_EQ(cudaLaunchKernelEx(&config, add_to_each, values, amount), cudaSuccess);
}

/// With and without delayed work.
class Streams : public HostRun, public testing::WithParamInterface<bool> {
 protected:
  Streams() {
    machine().lazy_streams = GetParam();
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
    EXPECT_EQ(cudaStreamCreate(&other_), cudaSuccess);
    EXPECT_EQ(cudaMallocHost(&pinned_, kBytes), cudaSuccess);
  }
  ~Streams() override {
    EXPECT_EQ(cudaFreeHost(pinned_), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(other_), cudaSuccess);
  }

  cudaStream_t stream_ = nullptr, other_ = nullptr;
  unsigned* pinned_ = nullptr;
};
INSTANTIATE_TEST_SUITE_P(lazy, Streams, testing::Bool());

TEST_P(Streams, work_of_a_stream_runs_in_order) {
  const DeviceArray<unsigned> values(std::vector<unsigned>(kCount, 5));
  ASSERT_EQ(cudaMemsetAsync(values.data(), 0, kBytes, stream_), cudaSuccess);
  start_adding(stream_, values.data(), 2);
  start_adding(stream_, values.data(), 1);
  ASSERT_EQ(cudaMemcpyAsync(pinned_, values.data(), kBytes, cudaMemcpyDeviceToHost, stream_),
            cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  for (unsigned k = 0; k < kCount; ++k) EXPECT_EQ(pinned_[k], 7u);
}

TEST_P(Streams, an_event_orders_one_stream_after_another) {
  const DeviceArray<unsigned> values(std::vector<unsigned>(kCount, 1));
  cudaEvent_t done = nullptr;
  ASSERT_EQ(cudaEventCreateWithFlags(&done, cudaEventDisableTiming), cudaSuccess);
  start_adding(stream_, values.data(), 1);
  ASSERT_EQ(cudaEventRecord(done, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(other_, done), cudaSuccess);
  start_adding(other_, values.data(), 2);
  ASSERT_EQ(cudaStreamSynchronize(other_), cudaSuccess);
  EXPECT_EQ(values.values()[0], 14u);
  EXPECT_EQ(cudaEventQuery(done), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(done), cudaSuccess);
}

TEST_P(Streams, a_captured_graph_repeats_its_calls_at_each_launch) {
  const auto work = [&](unsigned* values) {
    EXPECT_EQ(cudaMemsetAsync(values, 0, kBytes / 2, stream_), cudaSuccess);
    start_adding(stream_, values, 4);
    EXPECT_EQ(
        cudaMemcpyAsync(values, values + kCount / 2, kBytes / 4, cudaMemcpyDeviceToDevice, stream_),
        cudaSuccess);
    start_adding(stream_, values, 9);
  };
  const DeviceArray<unsigned> direct(std::vector<unsigned>(kCount, 6));
  const DeviceArray<unsigned> replayed(std::vector<unsigned>(kCount, 6));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  work(replayed.data());
  ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  std::size_t nodes = 0;
  ASSERT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
  EXPECT_EQ(nodes, 4u);
  EXPECT_EQ(replayed.values(), direct.values()) << "capturing must do nothing";
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph), cudaSuccess);
  ASSERT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  for (int round = 0; round < 2; ++round) {
    work(direct.data());
    ASSERT_EQ(cudaGraphLaunch(executable, stream_), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    EXPECT_EQ(replayed.values(), direct.values());
  }
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
}

cudaGraph_t capture_adding(cudaStream_t stream, unsigned* values, std::vector<unsigned> amounts) {
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  for (const unsigned amount : amounts) start_adding(stream, values, amount);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  return graph;
}

TEST_P(Streams, a_graph_can_be_updated_with_one_of_the_same_shape_only) {
  const DeviceArray<unsigned> values(std::vector<unsigned>(kCount, 0));
  const cudaGraph_t first = capture_adding(stream_, values.data(), {1, 2});
  const cudaGraph_t second = capture_adding(stream_, values.data(), {5, 6});
  const cudaGraph_t longer = capture_adding(stream_, values.data(), {1, 2, 3});
  cudaGraphExec_t executable = nullptr;
  cudaGraphExecUpdateResultInfo result{};
  ASSERT_EQ(cudaGraphInstantiate(&executable, first), cudaSuccess);
  EXPECT_EQ(cudaGraphExecUpdate(executable, longer, &result), cudaErrorGraphExecUpdateFailure);
  EXPECT_EQ(result.result, cudaGraphExecUpdateErrorTopologyChanged);
  ASSERT_EQ(cudaGraphExecUpdate(executable, second, &result), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(executable, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(values.values()[3], 21u);
  for (const cudaGraph_t graph : {first, second, longer}) {
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  }
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
}

TEST_P(Streams, a_forbidden_call_invalidates_a_capture) {
  const std::array<std::function<cudaError_t()>, 5> forbidden = {
      [&] { return cudaStreamSynchronize(stream_); }, [] { return cudaDeviceSynchronize(); },
      [] {
        void* memory = nullptr;
        return cudaMalloc(&memory, 4);
      },
      [] { return cudaFree(nullptr); },
      [&] { return cudaMemcpy(pinned_, pinned_, 4, cudaMemcpyHostToHost); }};
  for (const auto& call : forbidden) {
    cudaGraph_t graph = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaSuccess);
    EXPECT_EQ(call(), cudaErrorStreamCaptureUnsupported);
    cudaStreamCaptureStatus status{};
    EXPECT_EQ(cudaStreamIsCapturing(stream_, &status), cudaSuccess);
    EXPECT_EQ(status, cudaStreamCaptureStatusInvalidated);
    EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(graph, nullptr);
  }
}

TEST_P(Streams, events_measure_the_time_between_them) {
  cudaEvent_t start = nullptr, end = nullptr;
  ASSERT_EQ(cudaEventCreate(&start), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&end), cudaSuccess);
  float elapsed_ms = -1;
  EXPECT_EQ(cudaEventElapsedTime(&elapsed_ms, start, end), cudaErrorInvalidResourceHandle);
  const DeviceArray<unsigned> values(std::vector<unsigned>(kCount, 0));
  ASSERT_EQ(cudaEventRecord(start, stream_), cudaSuccess);
  start_adding(stream_, values.data(), 1);
  ASSERT_EQ(cudaEventRecord(end, stream_), cudaSuccess);
  ASSERT_EQ(cudaEventSynchronize(end), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&elapsed_ms, start, end), cudaSuccess);
  EXPECT_GT(elapsed_ms, 0.0f);
  EXPECT_EQ(cudaEventDestroy(start), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(end), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(end, stream_), cudaErrorInvalidResourceHandle);
}

class LazyStreams : public HostRun {
 protected:
  LazyStreams() { machine().lazy_streams = true; }
};

/// A planted bug: the host does not wait for its copy.
TEST_F(LazyStreams, pinned_memory_read_without_a_wait_is_unwritten) {
  cudaStream_t stream = nullptr;
  unsigned* pinned = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaMallocHost(&pinned, 4), cudaSuccess);
  const DeviceArray<unsigned> values(std::vector<unsigned>{17});
  ASSERT_EQ(cudaMemcpyAsync(pinned, values.data(), 4, cudaMemcpyDeviceToHost, stream), cudaSuccess);
  EXPECT_EQ(*pinned, 0xffffffffu);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(*pinned, 17u);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(LazyStreams, the_default_stream_waits_for_blocking_streams) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  const DeviceArray<unsigned> values(std::vector<unsigned>(kCount, 0));
  start_adding(stream, values.data(), 8);
  EXPECT_EQ(values.values()[0], 8u);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

}  // namespace
}  // namespace cuda_host
