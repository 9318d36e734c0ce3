#pragma once

// One training step's rays through a NeRF on the device: choice, forward pass, loss and gradients.
// The rays are followed once for the number of their samples; then all samples that reach a pixel
// are evaluated together. The host waits for the sums of the losses only, while the device goes on
// with the gradients. All that changes from step to step is in device memory, so that steps of the
// same form are the same work.

#include <cstddef>
#include <cstdint>
#include <span>

#include "backend/field_trainer.h"
#include "core/parallel.h"
#include "cuda/fields/device_occupancy.h"
#include "cuda/fields/proposal_training.h"
#include "cuda/fields/ray_evaluators.h"
#include "cuda/fields/ray_follower.h"
#include "cuda/fields/step_rays.h"
#include "fields/error_map.h"

namespace mote::cuda {

class NerfStep {
 public:
  /// References must outlive this. `proposals`: choose the samples; null: rays are followed through
  /// occupied cells.
  NerfStep(const NerfForm& form, ProposalTraining* proposals, ThreadPool& pool, cudaStream_t stream)
      : form_(form),
        proposals_(proposals),
        stream_(stream),
        follower_(stream),
        evaluator_(form, true, stream),
        rays_(pool, stream) {}

  /// A step to prepare. `latents`: see StepRays::prepare().
  struct Plan {
    const FieldPlacement& placement;
    std::size_t rays, most_samples;
    NerfTables tables;       // without latents
    const ErrorMap* errors;  // null: all pixels are alike
    std::span<const float> latents;
  };
  /// Prepares a step. Throws Error if memory is insufficient.
  void prepare(const FieldStepRequest& request, const Plan& plan);
  /// All that the work of the prepared step depends on, but the tables, the cells, the march and
  /// the loss. Buffers that grew have moved.
  struct Form {
    unsigned rays, samples, photographs;
    bool are_rays_chosen_on_device, has_error_map;
    float distortion;
    std::size_t bytes;

    bool operator==(const Form&) const = default;
  };
  Form form() const;
  /// Whether the work of a step can be recorded: the host need not wait for a part of it.
  bool can_be_recorded() const { return in_one_kernel_; }

  /// Enqueues to choose the rays, to follow them until little light is left, and to evaluate their
  /// samples.
  void enqueue_trace(const DeviceOccupancy& occupancy, const MarchSettings& march);
  /// Enqueues the loss, its sums, and their copy for read().
  void enqueue_grade(FieldLoss loss);
  /// Enqueues the gradients of all parameters.
  void enqueue_gradients(DeviceOptimizer& parameters);
  /// The gradients by the latents, after the work of enqueue_gradients(): [photographs][latents].
  std::span<const double> latent_gradients() const { return host_latent_sums_.span(); }
  /// Sets the losses, after the work of enqueue_grade().
  void read(FieldStepResult& result);
  /// Adds the errors of the rays to a map, after read().
  void add_errors(const FieldStepRequest& request, ErrorMap& errors) const;
  /// gradient_of_sum() of the grid's sums.
  float table_factor(GradientSums kind) const;

  /// Number of samples that were trained, or would have been with more space; after read().
  std::uint64_t samples_found() const { return found_; }
  std::size_t memory_bytes() const;  // on the device, without photographs
  std::size_t host_bytes() const;    // pinned
  /// memory_bytes() before it is taken.
  static std::size_t bytes_for(const NerfForm& form, std::size_t rays, std::size_t samples);
  /// The same with proposals, but without ProposalTraining's.
  static std::size_t proposed_bytes_for(const NerfForm& form, std::size_t rays,
                                        std::size_t samples_of_ray);

 private:
  void enqueue_followed(const DeviceOccupancy& occupancy, const MarchSettings& march);
  void enqueue_proposed();
  void enqueue_proposal_losses();
  void enqueue_sample_gradients();
  void enqueue_latent_gradients();
  void make_space(std::size_t rays, std::size_t most_samples, std::size_t photographs);
  float loss_scale() const;
  /// All samples that the step has space for, or as many as were found.
  NerfSamples::Part part() {
    return {0, capacity_, proposals_ == nullptr ? sample_count_.data() : nullptr};
  }

  const NerfForm& form_;
  ProposalTraining* const proposals_;
  cudaStream_t stream_;
  RayFollower follower_;
  NerfEvaluator evaluator_;
  StepRays rays_;
  bool in_one_kernel_ = true, has_error_map_ = false;
  unsigned capacity_ = 0;
  float distortion_ = 0;  // weight of this loss
  SamplePlanes planes_{};
  std::uint64_t found_ = 0;
  PinnedBuffer<double> host_sums_{"sums of losses"}, host_latent_sums_{"gradients of latents"};
  PinnedBuffer<RayLoss> host_losses_{"losses of rays"};  // these two: with a map of errors
  PinnedBuffer<float> host_weights_{"weights of rays"};
  DeviceBuffer<float> scale_{"a sum"}, floats_{"positions of samples"},
      ray_latents_{"gradients of latents"};
  DeviceBuffer<std::uint32_t> scratch_{"counts of rays"}, sample_rays_{"rays of samples"};
  DeviceBuffer<WaveSegment> segments_{"samples of rays"};
  DeviceBuffer<RayLoss> losses_{"losses of rays"};
  DeviceBuffer<double> sums_{"sums of losses"}, latent_sums_{"gradients of latents"};
  DeviceBuffer<unsigned> sample_count_{"a count"};
};

}  // namespace mote::cuda
