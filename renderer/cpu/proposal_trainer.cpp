#include "cpu/proposal_trainer.h"

#include "fields/proposals/proposal_layout.h"

namespace mote {

ProposalTrainer::ProposalTrainer(const NeuralField& field, const CpuKernels& kernels,
                                 ThreadPool& pool)
    : rays_(field, kernels, pool) {
  for (std::size_t r = 0; r < rays_.rounds(); ++r) {
    optimizers_.push_back(
        std::make_unique<ParameterOptimizer>(proposal_field(field.proposals->rounds[r]),
                                             rays_.shape(r).layout.encoding_first, kernels, pool));
  }
}

std::size_t ProposalTrainer::parameters() const {
  std::size_t count = 0;
  for (std::size_t r = 0; r < rays_.rounds(); ++r) count += rays_.shape(r).layout.parameters;
  return count;
}

void ProposalTrainer::sample(std::uint64_t steps_done, std::uint64_t seed) {
  tables_.clear();
  for (const auto& optimizer : optimizers_) tables_.push_back(optimizer->tables());
  rays_.sample(tables_, anneal_at(steps_done), seed);
}

void ProposalTrainer::differentiate() {
  for (std::size_t r = 0; r < rays_.rounds(); ++r) {
    rays_.differentiate(r, optimizers_[r]->tables(), optimizers_[r]->network_gradients());
  }
}

std::uint64_t ProposalTrainer::step(double learning_rate) {
  std::uint64_t broken = 0;
  for (std::size_t r = 0; r < rays_.rounds(); ++r) {
    broken += optimizers_[r]->step(learning_rate, rays_.table_gradients(r));
  }
  return broken;
}

std::span<const FieldParameters> ProposalTrainer::averaged_tables() {
  tables_.clear();
  for (const auto& optimizer : optimizers_) tables_.push_back(optimizer->averaged_tables());
  return tables_;
}

void ProposalTrainer::export_to(ProposalSampler& proposals) {
  for (std::size_t r = 0; r < optimizers_.size(); ++r) {
    proposals.rounds[r].parameters = optimizers_[r]->averaged();
  }
}

void ProposalTrainer::save(ByteSink& sink) const {
  for (const auto& optimizer : optimizers_) optimizer->save(sink);
}

void ProposalTrainer::restore(ByteSource& source) {
  for (const auto& optimizer : optimizers_) optimizer->restore(source);
}

std::vector<OptimizerState> ProposalTrainer::states() const {
  std::vector<OptimizerState> states;
  for (const auto& optimizer : optimizers_) states.push_back(optimizer->state());
  return states;
}

std::size_t ProposalTrainer::state_bytes() const {
  std::size_t bytes = 0;
  for (const auto& optimizer : optimizers_) bytes += optimizer->memory_bytes();
  return bytes;
}

}  // namespace mote
