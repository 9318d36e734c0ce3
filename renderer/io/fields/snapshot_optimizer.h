#pragma once

// The states of optimisers in a snapshot, with the keys of tiny-cuda-nn (Optimizer::serialize of
// optimizers/adam.h, exponential_decay.h and ema.h): an optimiser around another one has it at
// "nested". Those of latents have the keys of instant-ngp (VarAdamOptimizer of adam_optimizer.h).
// Reading them is declared in io/fields/field_snapshot.h.

#include <nlohmann/json.hpp>
#include <vector>

#include "fields/field_config.h"
#include "fields/optimizer_state.h"

namespace mote {

inline constexpr const char* kFirstMoments = "first_moments_binary";
inline constexpr const char* kSecondMoments = "second_moments_binary";
inline constexpr const char* kUpdates = "param_steps_binary";
inline constexpr const char* kAverage = "weights_ema_binary";
inline constexpr const char* kNestedOptimizer = "nested";
inline constexpr const char* kStepOfState = "current_step";
/// In a round of snapshot/proposals, whose key "optimizer" is the configuration.
inline constexpr const char* kStateOfRound = "optimizer_state";
/// In an element of nerf/extra_dims_opt.
inline constexpr const char* kStepsOfLatents = "iter";

/// snapshot/optimizer with its arrays, or the state of a round. `average`: of the parameters, a
/// binary value in the type of the snapshot's parameters; not used if the optimiser does not
/// average.
nlohmann::json optimizer_state_json(const FieldOptimizer& optimizer, const OptimizerState& state,
                                    nlohmann::json average);

/// Adds the states to nerf/extra_dims_opt, which has as many photographs, or to nothing if there
/// are none.
void add_latent_states(const std::vector<LatentState>& states, nlohmann::json& photographs);

}  // namespace mote
