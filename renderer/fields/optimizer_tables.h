#pragma once

// The terms of a field's optimiser that depend on numbers of steps only.

#include <cstdint>
#include <vector>

#include "fields/field_config.h"
#include "fields/field_optimizer.h"

namespace mote {

/// Upper bounds on the lengths of the tables. Numbers of updates are stored in 16 bits.
inline constexpr std::size_t kMostCorrections = 1 << 16, kMostAverageShares = 1 << 20;

/// The learning rate of a step, from 1. It falls by a factor for the first time in the step after
/// `start` steps (tiny-cuda-nn, optimizers/exponential_decay.h).
double learning_rate_at(const FieldOptimizer& optimizer, std::uint64_t step);

/// The constants of a step, from 1.
FieldAdam field_adam_at(const FieldOptimizer& optimizer, std::uint64_t step);

/// Element n is sqrt(1 - beta2^n) / (1 - beta1^n), for the n-th update; element 0 is not used. The
/// last element counts for all later updates: it is 1, or the table has kMostCorrections elements.
/// The limit only matters for a beta2 above 0.9997.
std::vector<float> adam_corrections(double beta1, double beta2);

/// Element k is 1 - decay^k. The last element, which is 1 unless the table has kMostAverageShares
/// elements, counts for all larger k. `decay`: 0 to below 1.
std::vector<float> average_shares(double decay);

}  // namespace mote
