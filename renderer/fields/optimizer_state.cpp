#include "fields/optimizer_state.h"

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "fields/field_optimizer.h"
#include "fields/optimizer_storage.h"
#include "fields/planes.h"

namespace mote {
namespace {

/// As ByteSink::put_all(), with zeros up to a whole block.
void put_blocks(ByteSink& sink, std::span<const float> values) {
  std::vector<float> padded(values.begin(), values.end());
  padded.resize(field_plane_stride(values.size()));
  sink.put_all(std::span<const float>(padded));
}

/// Numbers of updates, which a saved state has in 16 bits.
std::vector<std::uint16_t> saved_updates(std::span<const std::uint32_t> updates) {
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint16_t>::max();
  std::vector<std::uint16_t> saved(field_plane_stride(updates.size()));
  std::ranges::transform(updates, saved.begin(), [&](std::uint32_t count) {
    return static_cast<std::uint16_t>(std::min(count, kMost));
  });
  return saved;
}

OptimizerState before_first_step(std::size_t parameters) {
  return {.step = 0,
          .first = std::vector<float>(parameters),
          .second = std::vector<float>(parameters),
          .updates = std::vector<std::uint32_t>(parameters)};
}

/// As Latents::restore_states() reads them.
void put_latent_states(const std::vector<LatentState>& states, ByteSink& sink) {
  std::vector<double> first, second;
  std::vector<std::uint64_t> steps;
  for (const LatentState& state : states) {
    first.insert(first.end(), state.first.begin(), state.first.end());
    second.insert(second.end(), state.second.begin(), state.second.end());
    steps.push_back(state.steps);
  }
  sink.put_all(std::span<const double>(first));
  sink.put_all(std::span<const double>(second));
  sink.put_all(std::span<const std::uint64_t>(steps));
}

}  // namespace

void put_optimizer_state(const OptimizerState& state, std::span<const float> parameters,
                         bool has_average, ByteSink& sink) {
  const std::size_t count = parameters.size();
  CHECK(state.first.size() == count && state.second.size() == count &&
        state.updates.size() == count);
  sink.put(state.step);
  put_blocks(sink, parameters);
  put_blocks(sink, state.first);
  put_blocks(sink, state.second);
  put_blocks(sink, has_average ? parameters : std::span<const float>());
  sink.put_all(std::span<const std::uint16_t>(saved_updates(state.updates)));
  const std::vector<std::uint32_t> average_steps(field_plane_stride(count) / kFieldBlock,
                                                 has_average ? state.step : 0);
  sink.put_all(std::span<const std::uint32_t>(average_steps));
  sink.put(SavedAverages::values);
}

void put_optimizer_states(const OptimizerStates& states, const NeuralField& field, ByteSink& sink) {
  const auto put = [&](const OptimizerState& state, const FieldConfig& config,
                       std::span<const float> parameters) {
    put_optimizer_state(state, parameters, config.optimizer->ema_decay.has_value(), sink);
  };
  put(states.field, field.config, field.parameters);
  if (field.application != FieldApplication::nerf) return;
  const std::size_t rounds = field.proposals ? field.proposals->rounds.size() : 0;
  CHECK(states.proposals.empty() || states.proposals.size() == rounds);
  for (std::size_t r = 0; r < rounds; ++r) {
    const ProposalRound& round = field.proposals->rounds[r];
    if (states.proposals.empty()) {
      put(before_first_step(round.parameters.size()), round.config, round.parameters);
    } else {
      put(states.proposals[r], round.config, round.parameters);
    }
  }
  put_latent_states(states.latents, sink);
}

}  // namespace mote
