#pragma once

// The memory of fields in training, and what they need, before it is taken.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "backend/field_trainer.h"
#include "cuda/kernels/fields/gradient_sums.h"
#include "fields/neural_field.h"

namespace mote::cuda {

/// Fixed point where steps shall be repeatable, so that resumed runs are bit-exact.
inline GradientSums training_sums(const FieldOptimizer& optimizer) {
  return optimizer.repeatable ? GradientSums::fixed_point : GradientSums::floats;
}

/// Bytes on the device.
struct FieldBytes {
  std::size_t parameters;  // their number
  std::size_t state;       // of all parameters, with the optimiser
  std::size_t step;        // of the samples of a step
};

/// The memory that training takes in steps of `samples`, which are those that reach a pixel for a
/// NeRF, with the fewest rays. `eikonal`: whether steps have the eikonal loss. The field may lack
/// its parameters. Empty for a field without kernels. Throws Error if its networks have too many
/// layers to be trained.
std::optional<FieldBytes> field_training_bytes(const NeuralField& field, std::uint64_t samples,
                                               bool eikonal);

/// Throws Error if a NeRF cannot be trained so on the device, or needs more memory than is free.
void check_nerf_trains(const NeuralField& field, const FieldTrainerSettings& settings,
                       const std::string& device);

}  // namespace mote::cuda
