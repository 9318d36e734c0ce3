#pragma once

// Training of fields with one network on a device: signed distances, images and volumes are fitted
// to values at positions.

#include <cstddef>
#include <cstdint>
#include <functional>

#include "backend/field_trainer.h"

namespace mote {

/// Some samples of a step: numbers [first, first + count), a multiple of 16 in `first`.
struct FieldSamples {
  std::size_t first, count;
  float* positions;    // [inputs][stride]: 0 to 1, of the first of these samples
  float* values;       // [outputs][stride]: as they should be
  std::size_t stride;  // between planes
};

/// Writes positions and values of samples. Threads call it for different samples at once. Its
/// result depends on the numbers of the samples only.
using FillFieldSamples = std::function<void(const FieldSamples& samples)>;

struct FieldFitRequest {
  std::size_t count = 0;  // samples
  FillFieldSamples fill;
  double learning_rate = 1e-2;
  /// Weight of the eikonal loss (fields/applications/eikonal.h) of the first output; 0: none. The
  /// field has three inputs, and no grid of the nearest point.
  double eikonal = 0;
};

struct FieldFitResult {
  /// Mean over samples and outputs of the configured loss, with the weighted eikonal loss.
  double loss = 0;
  double eikonal = 0;            // mean over samples, without its weight; 0 if it is not used
  double l1 = 0, mse = 0;        // means over samples and outputs
  std::uint64_t non_finite = 0;  // parameters with a gradient that was not finite
  /// The gradients of grids count as update on devices that update each level at once.
  double sample_ms = 0, forward_ms = 0, backward_ms = 0, update_ms = 0, total_ms = 0;
};

/// A field with one network under training.
class FieldFitter : public FieldInMemory {
 public:
  /// Takes a step of the configured optimiser.
  virtual FieldFitResult step(const FieldFitRequest& request) = 0;
  /// Host memory in bytes that evaluate() takes for as many positions, and keeps.
  virtual std::size_t evaluation_bytes(std::size_t /*positions*/) const { return 0; }
};

}  // namespace mote
