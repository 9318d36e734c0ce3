#pragma once

#include <cstdint>

#include "core/random.h"

namespace mote {

/// What random numbers are for: each use has its own, so that no choice disturbs another.
enum class StepUse : std::uint64_t { initial_splats, order, background, noise, density };

/// Random numbers that follow from the seed and the step alone: a resumed run has nothing to save.
inline Random step_random(std::uint64_t seed, std::uint64_t step, StepUse use) {
  return Random(seed, step * 8 + static_cast<std::uint64_t>(use));
}

/// A seed for what draws by numbers (math/counter_random.h), likewise.
inline std::uint64_t step_seed(std::uint64_t seed, std::uint64_t step, StepUse use) {
  Random random = step_random(seed, step, use);
  const std::uint64_t high = random.next();
  return high << 32 | random.next();
}

}  // namespace mote
