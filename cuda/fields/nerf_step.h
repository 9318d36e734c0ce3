#pragma once

// One training step's rays through a NeRF on the device: choice, forward pass, loss and gradients.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "backend/field_trainer.h"
#include "backend/ray_choice.h"
#include "core/parallel.h"
#include "cuda/fields/ray_evaluators.h"
#include "cuda/fields/ray_waves.h"
#include "fields/error_map.h"

namespace mote::cuda {

class NerfStep {
 public:
  /// `form` and `pool` must outlive this.
  NerfStep(const NerfForm& form, ThreadPool& pool, cudaStream_t stream)
      : form_(form), pool_(pool), stream_(stream), waves_(stream), evaluator_(form, true, stream) {}

  /// Chooses `count` rays. Throws Error if memory is insufficient.
  void choose(const FieldStepRequest& request, const FieldPlacement& placement, std::size_t count,
              std::size_t most_samples, const ErrorMap* errors);
  /// Follows the rays until little light is left.
  void trace(const NerfTables& tables, const DeviceOccupancy& occupancy,
             const MarchSettings& march);
  /// Computes the loss and its gradients by the samples.
  void grade(const FieldStepRequest& request, FieldLoss loss, FieldStepResult& result);
  /// Adds the errors of the rays to a map.
  void add_errors(const FieldStepRequest& request, ErrorMap& errors) const;
  /// Enqueues the gradients of all parameters.
  void enqueue_gradients(DeviceOptimizer& parameters);
  /// gradient_of_sum() of the grid's sums.
  float table_factor(GradientSums kind) const;

  /// Number of samples that were trained, or would have been with more space.
  std::uint64_t samples_found() const { return found_; }
  std::size_t memory_bytes() const;  // on the device
  std::size_t host_bytes() const;    // pinned

 private:
  float loss_scale() const;
  void read_lost();
  /// Returns the sum of the weights.
  double set_targets(const FieldStepRequest& request);
  void add_up(const FieldStepRequest& request, double scale, FieldStepResult& result);

  const NerfForm& form_;
  ThreadPool& pool_;
  cudaStream_t stream_;
  RayWaves waves_;
  NerfEvaluator evaluator_;
  std::vector<ChosenRay> rays_;
  std::uint64_t found_ = 0;
  PinnedBuffer<RayTarget> host_targets_{"targets of rays"};
  DeviceBuffer<RayTarget> targets_{"targets of rays"};
  PinnedBuffer<std::uint32_t> host_photographs_{"photographs of rays"}, host_lost_{"rays"};
  DeviceBuffer<std::uint32_t> photographs_{"photographs of rays"};
  DeviceBuffer<float> exposures_{"exposures of photographs"};
  DeviceBuffer<RayLoss> losses_{"losses of rays"};
  PinnedBuffer<RayLoss> host_losses_{"losses of rays"};
  DeviceBuffer<DrawnColor> colors_{"colours of rays"};
  PinnedBuffer<DrawnColor> host_colors_{"colours of rays"};
};

}  // namespace mote::cuda
