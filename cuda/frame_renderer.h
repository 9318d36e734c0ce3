#pragma once

#include <span>
#include <string>

#include "backend/backend.h"
#include "cuda/kernels/blend.h"
#include "cuda/pictures/device_picture.h"
#include "cuda/runtime/recordings.h"
#include "cuda/runtime/runtime.h"
#include "cuda/tile_lists.h"

namespace mote::cuda {

/// Renders views of splats on the device: tile lists, then blending. The host reads nothing back
/// before the frame is done. The first frame of a kind is recorded as a graph. The graph then draws
/// further frames with any camera and background. Memory is reused from frame to frame.
class FrameRenderer {
 public:
  explicit FrameRenderer(cudaStream_t stream);

  /// Like Backend::render().
  FrameStats render(std::span<const PlacedSplats> scenes, const Camera& camera,
                    const RenderSettings& settings, Frame& frame);

 private:
  enum Stage { kBegin, kProjected, kFiled, kSorted, kBlended, kStages };

  /// All values that a frame's work depends on; see ListWork.
  struct Work {
    ListWork lists;
    BlendArgs blend;
    SplatShape shape;
    bool fast;
    bool stage_times;

    bool operator==(const Work&) const = default;
  };

  Work work(std::span<const PlacedSplats> scenes, const RenderSettings& settings);
  FrameStats render_as_asked(std::span<const PlacedSplats> scenes, const Camera& camera,
                             const RenderSettings& settings, Frame& frame);
  /// The remedy, with the size that fits, if the frame does not.
  std::string remedy(std::span<const PlacedSplats> scenes, const Camera& camera) const;
  void enqueue(const Work& work);
  FrameStats stats(std::span<const PlacedSplats> scenes, bool stage_times) const;

  cudaStream_t stream_;
  TileLists lists_;
  DevicePicture picture_;
  Event stages_[kStages];
  Recordings<Work> recordings_;
};

}  // namespace mote::cuda
