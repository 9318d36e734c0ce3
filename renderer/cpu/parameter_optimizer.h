#pragma once

// The parameters of a field in training on the CPU, with the state of their optimiser.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/buffer.h"
#include "core/byte_stream.h"
#include "core/parallel.h"
#include "cpu/cpu_encoding.h"
#include "cpu/field_parameters.h"
#include "cpu/kernels.h"
#include "fields/field_optimizer.h"
#include "fields/neural_field.h"
#include "fields/optimizer_state.h"
#include "fields/optimizer_storage.h"

namespace mote {

class ParameterOptimizer {
 public:
  /// Starts from the field's parameters, of which those before `encoding_first` are matrices.
  /// `kernels` and `pool` must outlive this.
  ParameterOptimizer(const NeuralField& field, std::size_t encoding_first,
                     const CpuKernels& kernels, ThreadPool& pool);

  /// Valid until averaged_tables().
  FieldParameters tables();
  /// By the networks. Zero before a step.
  float* network_gradients() { return network_gradients_.data(); }
  /// Takes a step by these gradients and those of the tables. Returns the number of gradients that
  /// were not finite.
  std::uint64_t step(double learning_rate, const TableGradients& table);

  /// All parameters, averaged if the optimiser averages.
  std::vector<float> averaged();
  /// The tables of averaged parameters, valid until tables(). They are made once for a step.
  FieldParameters averaged_tables();

  /// The state as other devices save it, too.
  void save(ByteSink& sink) const;
  void restore(ByteSource& source);
  /// Number of steps, with those of a restored state.
  std::uint32_t steps() const { return step_; }
  /// The moments and the numbers of updates.
  OptimizerState state() const;
  std::size_t memory_bytes() const;

 private:
  FieldUpdateParams params();
  /// Sets the halves of the tables to those of the averages.
  void read_halves(const FieldUpdateParams& params);
  std::uint64_t update_networks(FieldUpdateParams params);
  std::uint64_t update_tables(const FieldUpdateParams& params, const TableGradients& table);
  /// The averages of a parameter's block.
  AverageBlock average_of(std::size_t parameter) const;
  std::size_t blocks() const { return values_.size() / kFieldBlock; }

  const FieldOptimizer config_;
  const std::size_t count_, encoding_first_;
  const CpuKernels& kernels_;
  ThreadPool& pool_;
  const StoredCorrections corrections_;
  const std::vector<float> shares_;
  std::uint32_t step_ = 0;
  // All parameters, padded to whole blocks.
  Buffer<float> values_;
  Buffer<std::uint16_t> first_, average_;  // fields/optimizer_storage.h
  Buffer<std::uint32_t> second_;
  Buffer<std::uint16_t> halves_;  // of the values, or of the averages while drawn_step_ is set
  // Zero between steps.
  Buffer<float> network_gradients_;
  std::vector<Buffer<float>> part_gradients_;  // of the tables' parts that are in work
  std::optional<std::uint32_t> drawn_step_;    // of averaged_tables()
  Buffer<float> drawn_networks_;
};

}  // namespace mote
