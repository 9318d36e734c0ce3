#pragma once

// The proposals of a NeRF in training on the CPU.

#include <cstdint>
#include <memory>
#include <vector>

#include "core/byte_stream.h"
#include "cpu/parameter_optimizer.h"
#include "cpu/proposal_rays.h"

namespace mote {

class ProposalTrainer {
 public:
  /// Starts from the parameters of the field's proposals. `kernels` and `pool` must outlive this.
  ProposalTrainer(const NeuralField& field, const CpuKernels& kernels, ThreadPool& pool);

  ProposalRays& rays() { return rays_; }
  /// For all rounds.
  std::size_t parameters() const;
  /// Chooses the samples of the rays of a step. `steps_done`: before this step, with those of a
  /// snapshot that training started from.
  void sample(std::uint64_t steps_done, std::uint64_t seed);
  /// The same for a picture's averaged parameters, with places of the edges from the seed.
  void sample_averaged(std::uint64_t seed) { rays_.sample(averaged_tables(), 1, seed); }
  /// Adds the gradients of the rays that were graded.
  void differentiate();
  /// Takes a step of each optimiser. Returns the number of gradients that were not finite.
  std::uint64_t step(double learning_rate);

  /// Averaged if the optimiser averages; valid until the next step.
  std::span<const FieldParameters> averaged_tables();
  /// Copies the averaged parameters.
  void export_to(ProposalSampler& proposals);
  void save(ByteSink& sink) const;
  void restore(ByteSource& source);
  /// Those of the optimisers, [rounds].
  std::vector<OptimizerState> states() const;
  std::size_t state_bytes() const;
  std::size_t step_bytes() const { return rays_.memory_bytes(); }

 private:
  ProposalRays rays_;
  std::vector<std::unique_ptr<ParameterOptimizer>> optimizers_;
  std::vector<FieldParameters> tables_;
};

}  // namespace mote
