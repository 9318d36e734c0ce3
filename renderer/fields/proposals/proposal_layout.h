#pragma once

// The density fields that choose the intervals of a NeRF's rays.

#include <cstddef>
#include <cstdint>

#include "fields/neural_field.h"

namespace mote {

inline constexpr int kMostProposalRounds = 8;
inline constexpr int kMostProposalSamples = 4096;  // of a round, or of the field, along a ray

/// Untrained rounds with the optimiser of the field: two small hash grids, of which the second is
/// finer, as in nerfacto of nerfstudio.
ProposalSampler initial_proposals(const FieldOptimizer& optimizer, std::uint64_t seed);

/// The same without parameters.
ProposalSampler empty_proposals(const FieldOptimizer& optimizer);

/// Number of parameters of a field with those of its proposals.
std::size_t all_parameters(const NeuralField& field);

/// The round as a field: one network with three inputs and one output, the logarithm of the
/// density, as a signed distance field has. Its cube is the contracted one.
NeuralField proposal_field(const ProposalRound& round);

/// Number of parameters of a round. Throws Error if its network cannot be built.
std::size_t proposal_parameters(const ProposalRound& round);
/// The same of all rounds.
std::size_t proposal_parameters(const ProposalSampler& proposals);

}  // namespace mote
