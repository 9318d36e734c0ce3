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
/// further frames with any camera and background. Splats with features are blended once for each
/// three of them, by the same lists, and decoded. Memory is reused from frame to frame.
class FrameRenderer {
 public:
  explicit FrameRenderer(cudaStream_t stream);

  /// Like Backend::render().
  FrameStats render(std::span<const PlacedSplats> scenes, const Camera& camera,
                    const RenderSettings& settings, Frame& frame);

 private:
  enum Stage { kBegin, kProjected, kFiled, kSorted, kBlended, kStages };

  /// The pictures of the features: base, directional, temporal, and marks if there are some.
  struct FeaturePictures {
    float* rgb = nullptr;  // [count][h][w][3]; null: splats have colours
    std::size_t size = 0;  // values of one
    int count = 0;

    bool operator==(const FeaturePictures&) const = default;
  };

  /// All values that a frame's work depends on; see ListWork.
  struct Work {
    ListWork lists;
    BlendArgs blend;
    SplatShape shape;
    bool fast;
    bool stage_times;
    FeaturePictures features = {};

    bool operator==(const Work&) const = default;
  };

  Work work(std::span<const PlacedSplats> scenes, const RenderSettings& settings);
  /// Makes space for the pictures of the scene's features, if it has some and they are drawn.
  FeaturePictures feature_pictures(std::span<const PlacedSplats> scenes, const Camera& camera,
                                   const RenderSettings& settings);
  void enqueue_features(const Work& work);
  /// Makes the picture of the features.
  void decode(const FeaturePictures& features, const FeatureDecoder& decoder,
              const RenderSettings& settings);
  FrameStats render_as_asked(std::span<const PlacedSplats> scenes, const Camera& camera,
                             const RenderSettings& settings, Frame& frame);
  /// The remedy, with the size that fits, if the frame does not.
  std::string remedy(std::span<const PlacedSplats> scenes, const Camera& camera) const;
  void enqueue(const Work& work);
  FrameStats stats(std::span<const PlacedSplats> scenes, bool stage_times) const;

  cudaStream_t stream_;
  TileLists lists_;
  DevicePicture picture_;
  DeviceBuffer<float> features_{"pictures of features"};
  Event stages_[kStages];
  Event decode_begin_{EventUse::timing}, decoded_{EventUse::timing};
  Recordings<Work> recordings_;
};

}  // namespace mote::cuda
