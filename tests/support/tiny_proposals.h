#pragma once

// Small proposals with random parameters, for tests.

#include <random>

#include "fields/proposals/proposal_layout.h"

namespace mote {

/// Two rounds of 6 and 5 intervals, and 7 samples of a ray.
inline ProposalSampler tiny_proposals(unsigned seed = 3) {
  std::mt19937 random(seed);
  ProposalSampler proposals;
  for (const int samples : {6, 5}) {
    ProposalRound round;
    const GridConfig grid{.levels = 2,
                          .features = 2,
                          .log2_table_size = 8,
                          .base_resolution = 4,
                          .per_level_scale = 2};
    round.config.encoding = {.parts = {{GridEncoding{grid}, 0, 3}}};
    round.config.network = {.neurons = 16, .hidden_layers = 1, .activation = LayerActivation::tanh};
    round.config.optimizer = FieldOptimizer{};
    round.samples = samples;
    round.parameters.resize(proposal_parameters(round));
    for (float& parameter : round.parameters) {
      // Numbers that halves have.
      parameter = static_cast<float>(static_cast<int>(random() % 2048) - 1024) * 0x1p-10f;
    }
    proposals.rounds.push_back(std::move(round));
  }
  proposals.samples = 7;
  return proposals;
}

}  // namespace mote
