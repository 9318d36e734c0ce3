#pragma once

// The state of a field's optimiser in the form of snapshots (tiny-cuda-nn, optimizers/adam.h). The
// average of the parameters is not in it: a snapshot has it as the field's parameters.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/byte_stream.h"

namespace mote {

struct OptimizerState {
  std::uint32_t step = 0;              // number of steps
  std::vector<float> first, second;    // moments, [parameters]; second: 0 or more
  std::vector<std::uint32_t> updates;  // number of updates of each parameter, at most `step`

  bool operator==(const OptimizerState&) const = default;
};

/// Bytes of a parameter's state.
inline constexpr std::size_t kOptimizerStateBytes = 2 * sizeof(float) + sizeof(std::uint32_t);

/// Writes the state in the form in which devices save the optimiser of a field in training.
/// `parameters`: as many as the state has; they become both the trained values and, if
/// `has_average`, their average.
void put_optimizer_state(const OptimizerState& state, std::span<const float> parameters,
                         bool has_average, ByteSink& sink);

}  // namespace mote
