#pragma once

// The parameters of a field in training on the CPU, with the state of their optimiser.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/buffer.h"
#include "core/byte_stream.h"
#include "core/parallel.h"
#include "cpu/field_parameters.h"
#include "cpu/kernels.h"
#include "fields/field_optimizer.h"
#include "fields/neural_field.h"

namespace mote {

class ParameterOptimizer {
 public:
  /// Starts from the field's parameters, of which those before `encoding_first` are matrices.
  /// `kernels` and `pool` must outlive this.
  ParameterOptimizer(const NeuralField& field, std::size_t encoding_first,
                     const CpuKernels& kernels, ThreadPool& pool);

  FieldParameters tables() const { return {values_.data(), halves_.data() + encoding_first_}; }
  /// Zero before a step.
  FieldGradients gradients() { return {gradients_.data(), gradients_.data() + encoding_first_}; }
  /// Takes a step by the gradients. Returns the number of those that were not finite.
  std::uint64_t step(double learning_rate);

  /// All parameters, averaged if the optimiser averages.
  std::vector<float> averaged();
  /// The tables of averaged parameters, valid until the next step. They are made once for a step.
  FieldParameters averaged_tables();

  void save(ByteSink& sink) const;
  void restore(ByteSource& source);
  std::size_t memory_bytes() const;

 private:
  FieldUpdateParams params();
  std::size_t blocks() const { return values_.size() / kFieldBlock; }

  const FieldOptimizer config_;
  const std::size_t count_, encoding_first_;
  const CpuKernels& kernels_;
  ThreadPool& pool_;
  const std::vector<float> corrections_, shares_;
  std::uint32_t step_ = 0;
  // All parameters, padded to whole blocks.
  Buffer<float> values_, gradients_, first_, second_, average_;
  Buffer<std::uint16_t> updates_, halves_;
  Buffer<std::uint32_t> average_step_;  // [blocks]
  // Averages, for pictures.
  std::optional<std::uint32_t> drawn_step_;
  Buffer<float> drawn_networks_;
  Buffer<std::uint16_t> drawn_halves_;
};

}  // namespace mote
