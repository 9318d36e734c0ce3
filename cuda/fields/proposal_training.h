#pragma once

// The proposals of a NeRF in training on the device.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/byte_stream.h"
#include "cuda/fields/averaged_tables.h"
#include "cuda/fields/network_batch.h"
#include "cuda/fields/proposed_rays.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {

/// The rays of a step when their samples are composited.
struct ComposedRays {
  SampleValues values;
  SamplePlanes samples;
  const WaveSegment* segments;
  const float* weights;  // of rays
  const float* scale;    // 1 over their sum
  float distortion;      // weight of this loss
  float most;            // of a gradient
  float* d_density;      // added to
};

class ProposalTraining : public RoundFields {
 public:
  /// Starts from the parameters of the field's proposals.
  ProposalTraining(const NeuralField& field, GradientSums kind, cudaStream_t stream);

  ProposedRays& rays() { return rays_; }
  std::size_t rounds() const { return rounds_.size(); }
  /// For all rounds.
  std::size_t parameters() const;

  /// Makes space for the rays of a step. Throws Error if memory is insufficient.
  void begin_rays(std::size_t rays);
  void begin(std::size_t round, std::size_t samples) override;
  const float* enqueue_values(std::size_t round, const SamplePlanes& samples) override;

  /// Begins a step, as DeviceOptimizer does. `steps_done`: before it, with those of a snapshot that
  /// training started from.
  void begin_step(std::uint64_t steps_done, std::uint64_t seed, double learning_rate);
  void enqueue_start();
  /// Enqueues to choose the samples of the rays.
  void enqueue_samples(const RayStart* starts, const SamplePlanes& planes);
  /// Enqueues the losses, their gradients by the densities, and the copy of the sums.
  void enqueue_losses(const ComposedRays& rays);
  /// The sums of losses times the weights of rays, after that.
  double loss_sum(ProposalSum sum) const { return host_sums_.data()[sum]; }
  /// Enqueues the gradients of all parameters, and the step by them.
  void enqueue_step(float loss_scale);
  /// Begins to copy the counts of gradients that are not finite, [rounds()], pinned.
  void enqueue_non_finite(std::span<unsigned> counts);

  /// The averaged parameters after the last step, as kernels read them.
  std::vector<FieldTables> averaged_tables();
  /// Copies the averaged parameters.
  void export_to(ProposalSampler& proposals);
  void save(ByteSink& sink) const;
  void restore(ByteSource& source);
  /// Those of the optimisers, [rounds].
  std::vector<OptimizerState> states() const;

  std::size_t memory_bytes() const;  // of a step, on the device
  /// The bytes of a step of `rays`, and of all optimisers, before they are taken.
  static std::size_t step_bytes_for(const NeuralField& field, std::size_t rays);
  static std::size_t state_bytes_for(const NeuralField& field, GradientSums kind);

 private:
  struct Round {
    Round(const NeuralField& field, GradientSums kind, cudaStream_t stream)
        : batch(field, stream),
          optimizer(field, batch.shape().layout.encoding_first, kind, stream),
          shown(batch.shape(), stream) {}

    NetworkBatch batch;
    DeviceOptimizer optimizer;
    AveragedTables shown;
  };

  cudaStream_t stream_;
  ProposedRays rays_;
  std::vector<std::unique_ptr<Round>> rounds_;
  DeviceBuffer<float> slopes_{"slopes of losses"}, losses_{"losses of proposals"};
  DeviceBuffer<double> sums_{"sums of losses"};
  PinnedBuffer<double> host_sums_{"sums of losses"};
  unsigned count_ = 0;  // rays
};

}  // namespace mote::cuda
