// Events in graphs, and the counts and the log of controls.h.

#include <algorithm>

#include "cuda_host/launch_fixture.h"

namespace cuda_host {
namespace {

constexpr unsigned kGraphValues = 128;
constexpr std::size_t kGraph_bytes = kGraphValues * sizeof(unsigned);

/// With and without delayed work.
class Graphs : public HostRun, public testing::WithParamInterface<bool> {
 protected:
  Graphs() : values_(kGraphValues) {
    machine().lazy_streams = GetParam();
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
    EXPECT_EQ(cudaEventCreate(&start_), cudaSuccess);
    EXPECT_EQ(cudaEventCreate(&end_), cudaSuccess);
  }
  ~Graphs() override {
    if (end_ != nullptr) {
      EXPECT_EQ(cudaEventDestroy(end_), cudaSuccess);
    }
    EXPECT_EQ(cudaEventDestroy(start_), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
  }

  void begin() {
    ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  }
  cudaGraphExec_t end() {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
    EXPECT_EQ(cudaGraphInstantiate(&executable, graph), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    return executable;
  }
  /// A fill between two events.
  cudaGraphExec_t timed_fill() {
    begin();
    EXPECT_EQ(cudaEventRecordWithFlags(start_, stream_, cudaEventRecordExternal), cudaSuccess);
    EXPECT_EQ(cudaMemsetAsync(values_.data(), 0, kGraph_bytes, stream_), cudaSuccess);
    EXPECT_EQ(cudaEventRecordWithFlags(end_, stream_, cudaEventRecordExternal), cudaSuccess);
    return end();
  }

  DeviceArray<unsigned> values_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t start_ = nullptr, end_ = nullptr;
};
INSTANTIATE_TEST_SUITE_P(lazy, Graphs, testing::Bool());

TEST_P(Graphs, external_events_are_recorded_at_each_launch_and_not_before) {
  const cudaGraphExec_t graph = timed_fill();
  float elapsed_ms = -1;
  EXPECT_EQ(cudaEventElapsedTime(&elapsed_ms, start_, end_), cudaErrorInvalidResourceHandle);
  for (int launch = 0; launch < 2; ++launch) {
    elapsed_ms = -1;
    ASSERT_EQ(cudaGraphLaunch(graph, stream_), cudaSuccess);
    if (GetParam()) {
      EXPECT_EQ(cudaEventElapsedTime(&elapsed_ms, start_, end_), cudaErrorNotReady);
    }
    ASSERT_EQ(cudaEventSynchronize(end_), cudaSuccess);
    EXPECT_EQ(cudaEventElapsedTime(&elapsed_ms, start_, end_), cudaSuccess);
    EXPECT_GE(elapsed_ms, 0.0f);
  }
  EXPECT_EQ(cudaGraphExecDestroy(graph), cudaSuccess);
}

TEST_P(Graphs, external_records_are_allowed_only_in_captures) {
  EXPECT_EQ(cudaEventRecordWithFlags(end_, stream_, cudaEventRecordExternal),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaEventRecordWithFlags(end_, stream_, 8), cudaErrorInvalidValue);
  EXPECT_EQ(cudaEventRecordWithFlags(end_, stream_, cudaEventRecordDefault), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(end_), cudaSuccess);
}

TEST_P(Graphs, an_event_recorded_in_a_capture_has_an_order_but_no_time) {
  ASSERT_EQ(cudaEventRecord(start_, stream_), cudaSuccess);
  begin();
  ASSERT_EQ(cudaEventRecord(end_, stream_), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(stream_, end_), cudaSuccess);
  const cudaGraphExec_t graph = end();
  float elapsed_ms = 0;
  EXPECT_EQ(cudaEventSynchronize(end_), cudaErrorCapturedEvent);
  EXPECT_EQ(cudaEventQuery(end_), cudaErrorCapturedEvent);
  EXPECT_EQ(cudaEventElapsedTime(&elapsed_ms, start_, end_), cudaErrorCapturedEvent);
  ASSERT_EQ(cudaEventRecord(end_, stream_), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(end_), cudaSuccess);
  EXPECT_EQ(cudaGraphExecDestroy(graph), cudaSuccess);
}

TEST_P(Graphs, a_capture_cannot_wait_for_work_outside_it) {
  ASSERT_EQ(cudaEventRecord(start_, stream_), cudaSuccess);
  begin();
  EXPECT_EQ(cudaStreamWaitEvent(stream_, start_), cudaErrorStreamCaptureIsolation);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorStreamCaptureInvalidated);
}

TEST_P(Graphs, a_graph_with_a_destroyed_event_is_a_fault) {
  machine().lazy_streams = false;  // nothing is left to do when the device is lost
  const cudaGraphExec_t graph = timed_fill();
  ASSERT_EQ(cudaEventDestroy(std::exchange(end_, nullptr)), cudaSuccess);
  static_cast<void>(cudaGraphLaunch(graph, stream_));
  EXPECT_EQ(cudaStreamSynchronize(stream_), cudaErrorIllegalAddress);
  EXPECT_NE(last_fault().find("event"), std::string::npos);
  reset();  // removes the streams of the lost device
  EXPECT_EQ(cudaGraphExecDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
}

TEST_P(Graphs, are_counted) {
  EXPECT_EQ(graph_use().made, 0u);
  const cudaGraphExec_t first = timed_fill(), second = timed_fill();
  ASSERT_EQ(cudaGraphLaunch(first, stream_), cudaSuccess);
  EXPECT_EQ(cudaGraphExecDestroy(first), cudaSuccess);
  EXPECT_EQ(graph_use().made, 2u);
  EXPECT_EQ(graph_use().launched, 1u);
  EXPECT_EQ(graph_use().alive, 1u);
  EXPECT_EQ(cudaGraphExecDestroy(second), cudaSuccess);
  EXPECT_EQ(graph_use().alive, 0u);
}

TEST_P(Graphs, work_is_logged_when_submitted_and_when_done) {
  const unsigned value = 5;
  unsigned* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, 4), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(values_.data(), &value, 4, cudaMemcpyHostToDevice, stream_),
            cudaSuccess);
  EXPECT_TRUE(work_log().empty());
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  machine().logs_work = true;
  ASSERT_EQ(cudaMemcpyAsync(values_.data(), &value, 4, cudaMemcpyHostToDevice, stream_),
            cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(values_.data(), pinned, 4, cudaMemcpyHostToDevice, stream_),
            cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  const std::vector<WorkNote> log = work_log();
  ASSERT_EQ(log.size(), 4u);
  const auto done = [](const WorkNote& note) { return note.what == WorkNote::What::done; };
  EXPECT_EQ(std::ranges::count_if(log, done), 2);
  EXPECT_EQ(done(log[1]), !GetParam());  // with delayed work, both are submitted first
  EXPECT_EQ(std::ranges::count_if(log, [](const WorkNote& n) { return n.from_pinned; }), 2);
  for (const WorkNote& note : log) {
    EXPECT_EQ(note.kind, WorkNote::Kind::copy);
    EXPECT_EQ(note.stream, stream_);
    EXPECT_EQ(note.bytes, 4u);
  }
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

}  // namespace
}  // namespace cuda_host
