#pragma once

// The parameters of a field in training on the device, with the state of their optimiser. The saved
// state is that of the processor.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/byte_stream.h"
#include "cuda/kernels/fields/field_update.h"
#include "cuda/runtime/runtime.h"
#include "fields/neural_field.h"
#include "fields/optimizer_state.h"

namespace mote::cuda {

class DeviceOptimizer {
 public:
  /// Starts from the field's parameters, of which those before `encoding_first` are matrices and
  /// the others a grid's. Copies them, in stream order, and waits for that. Throws Error if memory
  /// is insufficient.
  DeviceOptimizer(const NeuralField& field, std::size_t encoding_first, GradientSums kind,
                  cudaStream_t stream);

  /// The trained parameters, in device memory.
  const float* networks() const { return values_.data(); }
  const std::uint16_t* table() const { return halves_.data(); }
  /// The gradients of the matrices; a step reads them.
  float* network_gradients() { return network_gradients_.data(); }
  /// The sums of the grid's gradients; zero between steps.
  void* table_sums() { return sums_.data(); }
  GradientSums sums_kind() const { return kind_; }
  /// Counts gradients that are not finite; zero at the start of a step.
  unsigned* non_finite() { return non_finite_.data(); }
  /// Begins to copy the count. `count`: pinned.
  void enqueue_non_finite(std::span<unsigned> count) const { non_finite_.download(count, stream_); }

  /// Begins a step. The work that enqueue_start() of the step before has enqueued must be done.
  void begin_step(double learning_rate);
  /// Enqueues its start: the count of gradients that are not finite becomes zero.
  void enqueue_start();
  /// Enqueues the step by the gradients. `factor`: gradient_of_sum().
  void enqueue_step(float factor);

  /// Number of steps.
  std::uint32_t steps() const { return step_; }
  /// Whether averages differ from the parameters.
  bool has_averages() const { return !average_.empty() && step_ > 0; }
  /// Enqueues to read the averages of the matrices and of the table, which has_averages().
  void enqueue_averages(float* networks, std::uint16_t* table);
  /// All parameters, averaged if the optimiser averages.
  std::vector<float> averaged();

  std::size_t table_size() const { return halves_.size(); }
  void save(ByteSink& sink) const;
  /// Throws Error if the state is of another number of parameters.
  void restore(ByteSource& source);
  /// The moments and the numbers of updates.
  OptimizerState moments() const;
  std::size_t memory_bytes() const;
  /// The same before it is taken.
  static std::size_t bytes_for(const FieldOptimizer& config, std::size_t encoding_first,
                               std::size_t parameters, GradientSums kind);

 private:
  FieldState state();
  FieldTable corrections() const;
  FieldTable shares() const;
  FieldAverageArgs average_args(std::size_t first, std::size_t count);
  void convert_table(const std::vector<float>& values);

  FieldOptimizer config_;
  std::size_t count_, encoding_first_;
  GradientSums kind_;
  cudaStream_t stream_;
  std::uint32_t step_ = 0;
  // All parameters, padded to whole blocks.
  DeviceBuffer<float> values_{"the parameters of a field"}, first_{"first moments of a field"},
      second_{"second moments of a field"}, average_{"averages of a field"};
  DeviceBuffer<std::uint16_t> updates_{"numbers of updates of a field"};
  DeviceBuffer<std::uint32_t> average_step_{"steps of a field's averages"};
  DeviceBuffer<std::uint16_t> halves_{"the table of a grid"};
  DeviceBuffer<std::byte> sums_{"gradients of a grid"};
  DeviceBuffer<float> network_gradients_{"gradients of a network"};
  DeviceBuffer<float> corrections_{"terms of an optimiser"}, shares_{"terms of an average"};
  DeviceBuffer<unsigned> non_finite_{"a count"};
  DeviceBuffer<FieldStepNow> now_{"a step"};
  PinnedBuffer<FieldStepNow> host_now_{"a step"};
};

}  // namespace mote::cuda
