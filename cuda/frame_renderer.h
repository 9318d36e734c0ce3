#pragma once

#include <string>
#include <vector>

#include "backend/backend.h"
#include "cuda/kernels/solid.h"
#include "cuda/runtime.h"
#include "cuda/tile_lists.h"

namespace mote::cuda {

/// Renders views of splats on the device: tile lists, then blending. The host reads nothing back
/// before the frame is done. The first frame of a kind is recorded as a graph, which draws those
/// that follow, whatever their camera and background. Memory is kept from frame to frame.
class FrameRenderer {
 public:
  explicit FrameRenderer(cudaStream_t stream);

  /// As Backend::render.
  FrameStats render(const DeviceSplats& splats, const Camera& camera,
                    const RenderSettings& settings, Frame& frame);

 private:
  enum Stage { kBegin, kProjected, kFiled, kSorted, kBlended, kStages };

  /// All that is told by value to the frame's work; see ListWork.
  struct Work {
    ListWork lists;
    SolidArgs blend;  // of Gaussians without surfaces
    SplatShape shape;

    bool operator==(const Work&) const = default;
  };
  struct Recording {
    Work work;
    Graph graph;
  };

  Work work(const DeviceSplats& splats, const RenderSettings& settings);
  FrameStats render_as_asked(const DeviceSplats& splats, const Camera& camera,
                             const RenderSettings& settings, Frame& frame);
  /// What fits, where what the frame needs does not.
  std::string remedy(const DeviceSplats& splats, const Camera& camera) const;
  /// The graph of this work, recorded where none is kept. It is the last of `recordings_` then.
  const Graph& graph_of(const Work& work);
  Graph recorded(const Work& work);
  void download(Frame& frame);
  FrameStats stats(const DeviceSplats& splats) const;

  cudaStream_t stream_;
  TileLists lists_;
  DeviceBuffer<float> rgb_, alpha_, depth_expected_, depth_median_, overdraw_, tile_cost_;
  Event stages_[kStages];
  std::vector<Recording> recordings_;  // last used last
};

}  // namespace mote::cuda
