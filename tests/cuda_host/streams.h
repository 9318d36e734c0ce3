#pragma once

// Streams as queues of work. Work runs at once or, if the machine is set so, only when a caller
// waits for it. Devices may do either.

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "controls.h"

#include <cuda_runtime.h>

namespace cuda_host {

struct Work {
  using Kind = WorkNote::Kind;

  Kind kind;
  const void* kernel;  // of a launch
  std::function<void()> run;
  std::size_t bytes = 0;     // of a copy
  bool from_pinned = false;  // a copy from pinned memory
  /// Whether it still waits for something outside of the device; empty: never.
  std::function<bool()> is_blocked = {};
  /// Makes the work for each launch of a graph that contains it; empty: always the same work.
  std::function<Work(cudaStream_t)> at_launch = {};
};

}  // namespace cuda_host

struct CUstream_st {
  int device = 0;
  bool waits_for_default = true;  // and the default stream waits for it
  std::deque<cuda_host::Work> work;
  std::unique_ptr<CUgraph_st> capture;  // during capture
  cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;
  bool capture_invalid = false;
};

struct CUgraph_st {
  std::vector<cuda_host::Work> work;
};

struct CUgraphExec_st {
  std::vector<cuda_host::Work> work;
};

namespace cuda_host {

/// Whether the handle belongs to a live stream; null is the default stream.
bool is_stream(cudaStream_t stream);

/// Whether kernels may be launched on it: its device must be the current one of the calling thread.
bool takes_launches(cudaStream_t stream);

/// Adds work to the stream, or to its capture.
cudaError_t submit(cudaStream_t stream, Work work);

/// Whether the stream captures its work.
bool captures(cudaStream_t stream);
/// Whether the calling thread may make calls that captures forbid.
bool is_capture_relaxed();

/// Returns the failure of a call that is not allowed during capture, and invalidates the capture.
cudaError_t refuse_in_capture();
cudaError_t refuse_in_capture_of(cudaStream_t stream);
/// Invalidates the stream's capture and returns `status`.
cudaError_t spoil_capture(CUstream_st& stream, cudaError_t status);

/// Ends the device: its stream waits for something that no longer comes while the host waits.
void lose_to_blocked_work();

/// Runs the remaining work. Returns the device's failure if it was lost.
cudaError_t finish_stream(cudaStream_t stream);
cudaError_t finish_all_streams();

/// Removes streams that were not destroyed because their device was lost.
void forget_streams();

/// Runs the stream's next work; false if there is none.
bool advance_stream(cudaStream_t stream);

void forget_work_log();
void forget_graph_use();

}  // namespace cuda_host
