#pragma once

// The times of the stages of a picture's kernel, from the clocks of its warps.

#include "backend/backend.h"
#include "cuda/kernels/fields/stage_ticks.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {

class StageTimes {
 public:
  explicit StageTimes(cudaStream_t stream) : stream_(stream) {}

  /// Starts the picture's work.
  void begin(const RenderSettings& settings);
  /// For the kernel: null where the settings request no times.
  unsigned long long* ticks() { return is_counted_ ? ticks_.data() : nullptr; }
  /// Ends the picture's work.
  void end() { end_.record(stream_); }
  /// Sets the times of the stages, after the stream was waited for. Without requested times, the
  /// whole kernel counts as its networks.
  void read(FrameStats& stats) const;

 private:
  cudaStream_t stream_;
  bool is_counted_ = false;
  Event start_{EventUse::timing}, end_{EventUse::timing};
  DeviceBuffer<unsigned long long> ticks_{"times of stages"};
};

}  // namespace mote::cuda
