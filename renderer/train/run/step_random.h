#pragma once

#include <cstdint>

#include "core/random.h"

namespace mote {

/// Uses of random numbers. Each has its own stream, so that they do not affect each other.
enum class StepUse : std::uint64_t {
  initial_splats,
  order,
  background,
  noise,
  density,
  part,
  births,
  clocks
};

/// A random generator that depends only on seed, step and use. A resumed run therefore needs no
/// saved state.
inline Random step_random(std::uint64_t seed, std::uint64_t step, StepUse use) {
  return Random(seed, step * 8 + static_cast<std::uint64_t>(use));
}

/// A seed for numbered draws (math/counter_random.h) that depends on the same values.
inline std::uint64_t step_seed(std::uint64_t seed, std::uint64_t step, StepUse use) {
  Random random = step_random(seed, step, use);
  const std::uint64_t high = random.next();
  return high << 32 | random.next();
}

}  // namespace mote
