#pragma once

// One training step's rays through a NeRF on the device: choice, forward pass, loss and gradients.
// The rays are followed once for the number of their samples; then all samples that reach a pixel
// are evaluated together. The host waits for the losses only, while the device goes on with the
// gradients.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "backend/field_trainer.h"
#include "backend/ray_choice.h"
#include "core/parallel.h"
#include "cuda/fields/device_occupancy.h"
#include "cuda/fields/ray_evaluators.h"
#include "cuda/fields/ray_follower.h"
#include "fields/error_map.h"

namespace mote::cuda {

class NerfStep {
 public:
  /// `form` and `pool` must outlive this.
  NerfStep(const NerfForm& form, ThreadPool& pool, cudaStream_t stream)
      : form_(form),
        pool_(pool),
        stream_(stream),
        follower_(stream),
        evaluator_(form, true, stream) {}

  /// Chooses `count` rays. Throws Error if memory is insufficient.
  void choose(const FieldStepRequest& request, const FieldPlacement& placement, std::size_t count,
              std::size_t most_samples, const NerfTables& tables, const ErrorMap* errors);
  /// Enqueues to follow the rays until little light is left, and to evaluate their samples.
  void enqueue_trace(const DeviceOccupancy& occupancy, const MarchSettings& march);
  /// Enqueues the loss and its gradients by the samples, and the copies for read().
  void enqueue_grade(FieldLoss loss);
  /// Enqueues the gradients of all parameters.
  void enqueue_gradients(DeviceOptimizer& parameters);
  /// Waits for the losses, not for the gradients of parameters, and adds them up.
  void read(const FieldStepRequest& request, FieldStepResult& result);
  /// Adds the errors of the rays to a map, after read().
  void add_errors(const FieldStepRequest& request, ErrorMap& errors) const;
  /// gradient_of_sum() of the grid's sums.
  float table_factor(GradientSums kind) const;

  /// Number of samples that were trained, or would have been with more space; after read().
  std::uint64_t samples_found() const { return found_; }
  std::size_t memory_bytes() const;  // on the device
  std::size_t host_bytes() const;    // pinned
  /// memory_bytes() before it is taken.
  static std::size_t bytes_for(const NerfForm& form, std::size_t rays, std::size_t samples);

 private:
  void make_space(std::size_t count, std::size_t most_samples);
  void enqueue_targets(const FieldStepRequest& request);
  float loss_scale() const;
  /// All samples that the step has space for, or as many as were found.
  NerfSamples::Part part() { return {0, capacity_, sample_count_.data()}; }

  const NerfForm& form_;
  ThreadPool& pool_;
  cudaStream_t stream_;
  RayFollower follower_;
  NerfEvaluator evaluator_;
  bool in_one_kernel_ = true;
  unsigned capacity_ = 0;
  SamplePlanes planes_{};
  std::vector<ChosenRay> rays_;
  std::uint64_t found_ = 0;
  Event graded_{EventUse::order};
  PinnedBuffer<RayTarget> host_targets_{"targets of rays"};
  PinnedBuffer<float> host_weights_{"weights of rays"}, host_exposures_{"exposures"};
  PinnedBuffer<std::uint32_t> host_photographs_{"photographs of rays"};
  PinnedBuffer<RayLoss> host_losses_{"losses of rays"};
  PinnedBuffer<DrawnColor> host_drawn_{"colours of rays"};
  PinnedBuffer<WaveSegment> host_segments_{"samples of rays"};
  DeviceBuffer<RayTarget> targets_{"targets of rays"};
  DeviceBuffer<float> weights_{"weights of rays"}, exposures_{"exposures of photographs"},
      scale_{"a sum"}, floats_{"positions of samples"};
  DeviceBuffer<std::uint32_t> photographs_{"photographs of rays"}, scratch_{"counts of rays"},
      sample_rays_{"rays of samples"};
  DeviceBuffer<WaveSegment> segments_{"samples of rays"};
  DeviceBuffer<RayLoss> losses_{"losses of rays"};
  DeviceBuffer<unsigned> sample_count_{"a count"};
};

}  // namespace mote::cuda
