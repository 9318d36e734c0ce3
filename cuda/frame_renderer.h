#pragma once

#include <cstdint>

#include "backend/backend.h"
#include "cuda/kernels/frame.h"
#include "cuda/runtime.h"

namespace mote::cuda {

/// Splats on the device as rendering reads them, whoever holds them. All pointers are the device's.
struct DeviceSplats {
  const float* geometry;  // [blocks][kFieldCount][16]
  const float* sh;        // [blocks][coefficient][3][16]
  std::size_t count;
  int sh_degree;
  bool activated;                // log_scale holds scales, logit_opacity opacities
  const Cluster* clusters;       // of kProjectThreads splats; null where there are none
  const std::uint32_t* index;    // [count] place in the file; null where it is the place here
  const std::uint32_t* slot_of;  // [count] its inverse
  std::uint64_t dropped;         // splats that cannot be drawn, for the statistics
};

/// What the kernels are told of a camera.
FrameParams frame_params(const Camera& camera, const std::array<float, 3>& background);

/// Renders views of splats on the device: projection and filing by macro tiles, sorting each tile's
/// splats by depth, blending. The host reads nothing back before the frame is done. Memory is kept
/// from frame to frame.
class FrameRenderer {
 public:
  explicit FrameRenderer(cudaStream_t stream);

  /// As Backend::render.
  FrameStats render(const DeviceSplats& splats, const Camera& camera,
                    const RenderSettings& settings, Frame& frame);

 private:
  enum Stage { kBegin, kProjected, kFiled, kSorted, kBlended, kStages };

  void make_room(const DeviceSplats& splats, const Camera& camera, const RenderOutputs& outputs);
  /// Gives the whole frame to the stream.
  void enqueue(const DeviceSplats& splats, const RenderSettings& settings);
  void download(Frame& frame);
  FrameStats stats(const DeviceSplats& splats) const;

  cudaStream_t stream_;
  unsigned tiles_ = 0;
  PinnedBuffer<FrameParams> host_params_;
  PinnedBuffer<FrameCounters> host_counters_;
  DeviceBuffer<FrameParams> params_;
  DeviceBuffer<FrameCounters> counters_;
  DeviceBuffer<SplatRecord> records_;
  DeviceBuffer<MacroRect> rects_;
  DeviceBuffer<unsigned> tile_counts_, first_, next_;
  DeviceBuffer<TileKey> keys_, scratch_;
  DeviceBuffer<float> rgb_, alpha_, depth_expected_, depth_median_;
  Event stages_[kStages];
};

}  // namespace mote::cuda
