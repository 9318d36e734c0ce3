#include "cuda/fields/proposal_training.h"

#include <limits>

#include "fields/proposals/proposal_layout.h"

namespace mote::cuda {
namespace {

/// All of space: rays in training have no bounds.
constexpr FieldBox everywhere() {
  constexpr float kNever = std::numeric_limits<float>::infinity();
  return {glm::vec3(-kNever), glm::vec3(kNever)};
}

}  // namespace

ProposalTraining::ProposalTraining(const NeuralField& field, GradientSums kind, cudaStream_t stream)
    : stream_(stream), rays_(field, stream) {
  for (const ProposalRound& round : field.proposals->rounds) {
    rounds_.push_back(std::make_unique<Round>(proposal_field(round), kind, stream));
    rounds_.back()->batch.enqueue_weights(rounds_.back()->optimizer);
  }
  sums_.resize_discard(kProposalSums);
  host_sums_.resize_discard(kProposalSums);
}

std::size_t ProposalTraining::parameters() const {
  std::size_t count = 0;
  for (const auto& round : rounds_) count += round->batch.shape().layout.parameters;
  return count;
}

void ProposalTraining::begin_rays(std::size_t rays) {
  count_ = static_cast<unsigned>(rays);
  rays_.begin(rays, *this);
  slopes_.resize_discard(rays * rays_.samples());
  losses_.resize_discard(rays * kProposalSums);
}

void ProposalTraining::begin(std::size_t round, std::size_t samples) {
  rounds_[round]->batch.begin(samples);
}

const float* ProposalTraining::enqueue_values(std::size_t round, const SamplePlanes& samples) {
  Round& own = *rounds_[round];
  CHECK(samples.stride == own.batch.stride());
  own.batch.enqueue_values(own.optimizer, samples.positions);
  return own.batch.values();
}

void ProposalTraining::begin_step(std::uint64_t steps_done, std::uint64_t seed,
                                  double learning_rate) {
  rays_.choose({.seed = seed, .is_random = 1, .anneal = anneal_at(steps_done)});
  for (const auto& round : rounds_) round->optimizer.begin_step(learning_rate);
}

void ProposalTraining::enqueue_start() {
  rays_.enqueue_choice();
  for (const auto& round : rounds_) round->optimizer.enqueue_start();
}

void ProposalTraining::enqueue_samples(const RayStart* starts, const SamplePlanes& planes) {
  rays_.enqueue_samples(starts, everywhere(), planes, *this);
}

void ProposalTraining::enqueue_losses(const ComposedRays& rays) {
  ProposalLossArgs args{.values = rays.values,
                        .samples = rays.samples,
                        .segments = rays.segments,
                        .ray_weights = rays.weights,
                        .ranges = rays_.ranges(),
                        .own = rays_.histograms(),
                        .slopes = slopes_.data(),
                        .scale = rays.scale,
                        .distortion = rays.distortion,
                        .most = rays.most,
                        .d_density = rays.d_density,
                        .rounds = {},
                        .round_count = static_cast<int>(rounds_.size()),
                        .losses = losses_.data(),
                        .count = count_};
  for (std::size_t r = 0; r < rounds_.size(); ++r) {
    args.rounds[r] = {rays_.histograms(r), rays_.thickness(r), rounds_[r]->batch.d_values()};
  }
  run_proposal_losses(args, stream_);
  run_proposal_sums(losses_.data(), count_, sums_.data(), stream_);
  sums_.download(host_sums_.span(), stream_);
}

void ProposalTraining::enqueue_step(float loss_scale) {
  for (std::size_t r = 0; r < rounds_.size(); ++r) {
    Round& round = *rounds_[r];
    round.batch.enqueue_network_gradients(loss_scale, round.optimizer);
    round.batch.enqueue_table_gradients(rays_.positions(r), loss_scale, round.optimizer);
    round.optimizer.enqueue_step(gradient_of_sum(
        round.optimizer.sums_kind(), static_cast<unsigned>(round.batch.count()), loss_scale));
    round.batch.enqueue_weights(round.optimizer);
  }
}

void ProposalTraining::enqueue_non_finite(std::span<unsigned> counts) {
  for (std::size_t r = 0; r < rounds_.size(); ++r) {
    rounds_[r]->optimizer.enqueue_non_finite(counts.subspan(r, 1));
  }
}

std::vector<FieldTables> ProposalTraining::averaged_tables() {
  std::vector<FieldTables> tables;
  for (const auto& round : rounds_) {
    tables.push_back(round->shown.tables(round->batch, round->optimizer));
  }
  return tables;
}

void ProposalTraining::export_to(ProposalSampler& proposals) {
  for (std::size_t r = 0; r < rounds_.size(); ++r) {
    proposals.rounds[r].parameters = rounds_[r]->optimizer.averaged();
  }
}

void ProposalTraining::save(ByteSink& sink) const {
  for (const auto& round : rounds_) round->optimizer.save(sink);
}

void ProposalTraining::restore(ByteSource& source) {
  for (const auto& round : rounds_) {
    round->optimizer.restore(source);
    round->shown.forget();
    round->batch.enqueue_weights(round->optimizer);
  }
}

std::vector<OptimizerState> ProposalTraining::states() const {
  std::vector<OptimizerState> states;
  for (const auto& round : rounds_) states.push_back(round->optimizer.moments());
  return states;
}

std::size_t ProposalTraining::memory_bytes() const {
  std::size_t bytes = rays_.memory_bytes() + slopes_.bytes() + losses_.bytes();
  for (const auto& round : rounds_) bytes += round->batch.memory_bytes();
  return bytes;
}

std::size_t ProposalTraining::step_bytes_for(const NeuralField& field, std::size_t rays) {
  const ProposalSampler& proposals = *field.proposals;
  const auto samples = static_cast<std::size_t>(proposals.samples);
  std::size_t bytes =
      ProposedRays::bytes_for(proposals, rays) + rays * (samples + kProposalSums) * sizeof(float);
  for (const ProposalRound& round : proposals.rounds) {
    const FitShape shape(proposal_field(round));
    bytes += NetworkBatch::bytes_for(shape, rays * static_cast<std::size_t>(round.samples));
  }
  return bytes;
}

std::size_t ProposalTraining::state_bytes_for(const NeuralField& field, GradientSums kind) {
  std::size_t bytes = 0;
  for (const ProposalRound& round : field.proposals->rounds) {
    const FitShape shape(proposal_field(round));
    bytes += DeviceOptimizer::bytes_for(*round.config.optimizer, shape.layout.encoding_first,
                                        proposal_parameters(round), kind);
  }
  return bytes;
}

}  // namespace mote::cuda
