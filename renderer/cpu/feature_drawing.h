#pragma once

#include <array>
#include <memory>

#include "cpu/cpu_renderer.h"
#include "splats/kinds/feature_decoder.h"

namespace mote {

/// Draws splats with features: a picture for each three of them, and one of the marks if there are
/// some, with the same weights; then the decoder makes the colours. Memory is reused.
class FeatureDrawing {
 public:
  FeatureDrawing(const CpuKernels& kernels, ThreadPool& pool, CpuRenderer& renderer)
      : kernels_(kernels), pool_(pool), renderer_(renderer) {}

  /// Like Backend::render(). Solid splats have the colours of their base features.
  FrameStats render(PlacedBlocks scene, const FeatureDecoder& decoder, const Camera& camera,
                    const RenderSettings& settings, Frame& frame);

 private:
  void add_picture(PlacedBlocks scene, FeatureColor color, const Camera& camera,
                   const RenderSettings& settings, Frame& frame, FrameStats& stats);

  const CpuKernels& kernels_;
  ThreadPool& pool_;
  CpuRenderer& renderer_;
  Frame directional_, temporal_, marks_;
};

}  // namespace mote
