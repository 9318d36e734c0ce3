#pragma once

#include "backend/backend.h"
#include "cuda/runtime.h"
#include "cuda/tile_lists.h"

namespace mote::cuda {

/// Renders views of splats on the device: tile lists, then blending. The host reads nothing back
/// before the frame is done. Memory is kept from frame to frame.
class FrameRenderer {
 public:
  explicit FrameRenderer(cudaStream_t stream);

  /// As Backend::render.
  FrameStats render(const DeviceSplats& splats, const Camera& camera,
                    const RenderSettings& settings, Frame& frame);

 private:
  enum Stage { kBegin, kProjected, kFiled, kSorted, kBlended, kStages };

  /// Gives the whole frame to the stream.
  void enqueue(const DeviceSplats& splats, const RenderSettings& settings);
  void download(Frame& frame);
  FrameStats stats(const DeviceSplats& splats) const;

  cudaStream_t stream_;
  TileLists lists_;
  DeviceBuffer<float> rgb_, alpha_, depth_expected_, depth_median_;
  Event stages_[kStages];
};

}  // namespace mote::cuda
