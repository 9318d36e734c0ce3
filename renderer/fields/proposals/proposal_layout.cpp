#include "fields/proposals/proposal_layout.h"

#include "fields/applications/field_layout.h"
#include "fields/initial_parameters.h"

namespace mote {
namespace {

constexpr std::uint64_t kProposalSeed = 0x70726f70;

/// Grid points per axis of the finest level, and intervals of a ray.
struct RoundSize {
  double finest;
  int samples;
};

// A processor has less time than a graphics card: nerfacto takes 256 and 96 intervals, and 48
// samples.
constexpr RoundSize kRounds[] = {{128, 64}, {256, 48}};
constexpr int kSamples = 32;

/// A round without parameters and optimiser.
ProposalRound empty_round(const RoundSize& size) {
  GridEncoding grid{.grid = {.levels = 5, .features = 2, .log2_table_size = 17}};
  grid.grid.per_level_scale = grid_growth(size.finest, grid.grid.base_resolution, grid.grid.levels);
  ProposalRound round;
  round.config.encoding = {.parts = {{.kind = grid, .first_input = 0, .inputs = 3}}};
  round.config.network = {.neurons = 16, .hidden_layers = 1};
  round.samples = size.samples;
  return round;
}

}  // namespace

ProposalSampler empty_proposals(const FieldOptimizer& optimizer) {
  ProposalSampler proposals;
  for (const RoundSize& size : kRounds) {
    proposals.rounds.push_back(empty_round(size));
    proposals.rounds.back().config.optimizer = optimizer;
  }
  proposals.samples = kSamples;
  return proposals;
}

ProposalSampler initial_proposals(const FieldOptimizer& optimizer, std::uint64_t seed) {
  ProposalSampler proposals = empty_proposals(optimizer);
  std::uint64_t own = seed + kProposalSeed;
  for (ProposalRound& round : proposals.rounds) {
    round.parameters = initial_parameters(FieldApplication::sdf, round.config, own++);
  }
  return proposals;
}

std::size_t all_parameters(const NeuralField& field) {
  std::size_t count = field.parameters.size();
  if (!field.proposals) return count;
  for (const ProposalRound& round : field.proposals->rounds) count += round.parameters.size();
  return count;
}

NeuralField proposal_field(const ProposalRound& round) {
  NeuralField field;
  field.application = FieldApplication::sdf;
  field.config = round.config;
  field.parameters = round.parameters;
  return field;
}

std::size_t proposal_parameters(const ProposalRound& round) {
  return field_parameters(FieldApplication::sdf, round.config);
}

std::size_t proposal_parameters(const ProposalSampler& proposals) {
  std::size_t count = 0;
  for (const ProposalRound& round : proposals.rounds) count += proposal_parameters(round);
  return count;
}

}  // namespace mote
