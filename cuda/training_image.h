#pragma once

#include "backend/splat_trainer.h"
#include "cuda/kernels/checkpoints.h"
#include "cuda/kernels/loss.h"
#include "cuda/photo_feed.h"
#include "cuda/runtime/runtime.h"
#include "cuda/tile_lists.h"

namespace mote::cuda {

/// The image of one training step on the device. It is blended, compared with the photograph, and
/// its gradient is propagated to each pair of a splat and a macro tile. Memory is reused from step
/// to step.
class TrainingImage {
 public:
  TrainingImage(cudaStream_t stream, BackwardForm form);

  /// The stages, in this order. `lists`: those of the step's camera.
  void enqueue_photo(const StepRequest& request, SplatKind kind);
  void enqueue_blend(TileLists& lists);
  void enqueue_loss(const StepRequest& request, TileLists& lists);
  void enqueue_backward(TileLists& lists, bool absolute);
  /// Call it while a step runs: begins to copy the photograph of the next step.
  void stage(const std::shared_ptr<const PhotoPixels>& next) { photos_.stage(next); }

  /// [slots][kPaddedSums of the kind], after the backward pass.
  const float* slots() const { return slots_.data(); }
  /// Sets the sums of enqueue_loss(), once the stream has completed it.
  void finish(const StepRequest& request, StepResult& result) const;
  std::size_t memory_bytes() const;

 private:
  void enqueue_surface_loss(const LossSettings& loss, TileLists& lists);
  /// Checkpoints do not hold the surface payload, so steps with surface losses go by whole lists.
  bool with_checkpoints() const { return surface_.empty(); }
  bool by_buckets() const { return form_ == BackwardForm::buckets && with_checkpoints(); }
  unsigned spacing() const { return by_buckets() ? kBucketSplats : kPieceSplats; }
  /// Allocates as many checkpoints as the lists' pairs can need.
  Checkpoints make_checkpoints(const TileLists& lists);

  cudaStream_t stream_;
  BackwardForm form_;
  PhotoFeed photos_;
  PhotoFeed::Photo photo_{};  // photograph of the current step
  DeviceBuffer<float> rgb_{"the picture"}, alpha_{"the picture"}, d_rgb_{"the picture's gradient"};
  DeviceBuffer<float> derivatives_{"the loss"}, partials_{"the loss"};
  /// Sums of the surface payload and their gradients; empty without surface losses.
  DeviceBuffer<float> surface_{"depths and normals"}, d_surface_{"depths and normals"};
  DeviceBuffer<float> slots_{"gradients of pairs of a splat and a tile"};
  Checkpoints checkpoints_{};  // of the current step
  DeviceBuffer<float4> checkpoint_states_{"checkpoints of blending"};
  DeviceBuffer<unsigned> checkpoint_strips_{"checkpoints of blending"};
  DeviceBuffer<double> sums_{"the loss"};
  PinnedBuffer<double> host_sums_{"the loss"};
};

}  // namespace mote::cuda
