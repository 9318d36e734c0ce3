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
  std::uint64_t step = 1;  // from 1
  double learning_rate = 1e-2;
};

struct FieldFitResult {
  double loss = 0;               // mean over samples and outputs, of the configured loss
  double l1 = 0, mse = 0;        // means over samples and outputs
  std::uint64_t non_finite = 0;  // parameters with a gradient that was not finite
  double sample_ms = 0, forward_ms = 0, backward_ms = 0, update_ms = 0, total_ms = 0;
};

/// A field under training in the memory of a backend: parameters and optimiser state.
/// Deterministic for any number of threads. Not thread safe. As a DeviceField, it has averaged
/// parameters if the optimiser averages.
class FieldFitter : public DeviceField {
 public:
  /// Takes a step of the configured optimiser.
  virtual FieldFitResult step(const FieldFitRequest& request) = 0;
  /// The field as it is drawn.
  virtual NeuralField field() = 0;
  virtual std::size_t parameters() const = 0;
  /// The complete state, as bytes in this build's layout. Training continues with identical
  /// results.
  virtual void save(ByteSink& sink) const = 0;
  virtual void restore(ByteSource& source) = 0;
  /// Host memory in bytes: parameters with the optimiser's state, and the samples of a step.
  virtual std::size_t state_bytes() const = 0;
  virtual std::size_t step_bytes() const = 0;
};

}  // namespace mote
