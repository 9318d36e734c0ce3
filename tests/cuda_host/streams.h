#pragma once

// Streams as queues of work. Work is done as it comes, or, where the machine is told so, only when
// somebody waits for it: both are what a device may do.

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
  /// What it is each time that a graph with it is launched to the stream; empty: the same.
  std::function<Work(cudaStream_t)> at_launch = {};
};

}  // namespace cuda_host

struct CUstream_st {
  int device = 0;
  bool waits_for_default = true;  // and the default stream for it
  std::deque<cuda_host::Work> work;
  std::unique_ptr<CUgraph_st> capture;  // while it captures
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

/// Whether the handle is one that was given and not destroyed; null is the default stream.
bool is_stream(cudaStream_t stream);

/// Whether kernels may be launched on it: its device is the one that the calling thread has chosen.
bool takes_launches(cudaStream_t stream);

/// Gives the stream work to do, or to capture.
cudaError_t submit(cudaStream_t stream, Work work);

/// The failure of a call that a capture in progress does not allow, which spoils the capture.
cudaError_t refuse_in_capture();
cudaError_t refuse_in_capture_of(cudaStream_t stream);
/// Spoils the stream's capture and returns `status`.
cudaError_t spoil_capture(CUstream_st& stream, cudaError_t status);

/// Does what is left to do. Returns the failure of the device, if it was lost.
cudaError_t finish_stream(cudaStream_t stream);
cudaError_t finish_all_streams();

/// Drops streams that were not destroyed because their device was lost.
void forget_streams();

/// Does the stream's next work; false where there is none.
bool advance_stream(cudaStream_t stream);

void forget_work_log();
void forget_graph_use();

}  // namespace cuda_host
