#pragma once

// The state of an optimiser in a snapshot, with the keys of tiny-cuda-nn (Optimizer::serialize of
// optimizers/adam.h, exponential_decay.h and ema.h): an optimiser around another one has it at
// "nested". Reading it is declared in io/fields/field_snapshot.h.

#include <nlohmann/json.hpp>

#include "fields/field_config.h"
#include "fields/optimizer_state.h"

namespace mote {

/// snapshot/optimizer with its arrays. `average`: of the parameters, a binary value in the type of
/// the snapshot's parameters; not used if the optimiser does not average.
nlohmann::json optimizer_state_json(const FieldOptimizer& optimizer, const OptimizerState& state,
                                    nlohmann::json average);

}  // namespace mote
