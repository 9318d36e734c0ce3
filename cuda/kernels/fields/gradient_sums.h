#pragma once

#include <cstddef>

namespace mote::cuda {

/// How gradients of a grid's entries are added up.
enum class GradientSums {
  fixed_point,  // in integers of 64 bits: the result does not depend on the order
  floats        // in floats by atomic operations, in any order
};

/// Bytes of a sum.
constexpr std::size_t sum_bytes(GradientSums kind) {
  return kind == GradientSums::fixed_point ? 8 : 4;
}

/// Factor that makes a gradient of a sum over the gradients of `count` positions, which were
/// multiplied by `loss_scale`.
float gradient_of_sum(GradientSums kind, unsigned count, float loss_scale);

}  // namespace mote::cuda
