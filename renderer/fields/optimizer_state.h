#pragma once

// The states of a field's optimisers in the form of snapshots (tiny-cuda-nn, optimizers/adam.h).
// The average of the parameters is not in them: a snapshot has it as the field's parameters.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/byte_stream.h"
#include "fields/neural_field.h"

namespace mote {

struct OptimizerState {
  std::uint32_t step = 0;              // number of steps
  std::vector<float> first, second;    // moments, [parameters]; second: 0 or more
  std::vector<std::uint32_t> updates;  // number of updates of each parameter, at most `step`

  bool operator==(const OptimizerState&) const = default;
};

/// The optimiser of one photograph's latents (fields/latents.h).
struct LatentState {
  std::uint64_t steps = 0;
  std::vector<double> first = {}, second = {};  // moments, [latents]; second: 0 or more

  bool operator==(const LatentState&) const = default;
};

/// The states of all optimisers of a field.
struct OptimizerStates {
  OptimizerState field = {};                   // of its own parameters
  std::vector<OptimizerState> proposals = {};  // [rounds]; empty: unknown, or there are no rounds
  std::vector<LatentState> latents = {};       // [photographs]; empty: unknown, or there are none

  bool operator==(const OptimizerStates&) const = default;
};

/// Bytes of a parameter's state.
inline constexpr std::size_t kOptimizerStateBytes = 2 * sizeof(float) + sizeof(std::uint32_t);

/// Writes the state in the form in which devices save the optimiser of a field in training.
/// `parameters`: as many as the state has; they become both the trained values and, if
/// `has_average`, their average.
void put_optimizer_state(const OptimizerState& state, std::span<const float> parameters,
                         bool has_average, ByteSink& sink);

/// Writes the states for FieldInMemory::restore_optimizers(), with the parameters of `field` and of
/// its proposals, whose configurations must have an optimiser. Unknown states are those before the
/// first step.
void put_optimizer_states(const OptimizerStates& states, const NeuralField& field, ByteSink& sink);

}  // namespace mote
