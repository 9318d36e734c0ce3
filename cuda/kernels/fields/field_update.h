#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "cuda/kernels/fields/gradient_sums.h"
#include "fields/field_optimizer.h"

namespace mote::cuda {

/// The parameters of a field with the state of their optimiser, as on the processor: all arrays are
/// padded with zeros to blocks of kFieldBlock.
struct FieldState {
  float *values, *first, *second;  // first, second: moments
  std::uint16_t* updates;  // number of updates of each, at most FieldUpdateArgs::corrections
  float* average;          // without bias; starts as the values; null: none
  /// [blocks]: the step whose average the block has. Later steps did not change its values.
  std::uint32_t* average_step;
};

/// The facts of a step that change from one to the next.
struct FieldStepNow {
  float rate;          // learning rate
  std::uint32_t step;  // from 1
};

/// A step of the optimiser (fields/field_optimizer.h).
struct FieldUpdateArgs {
  FieldState state;
  FieldAdam adam;                  // with any rate
  FieldTable corrections, shares;  // adam_corrections(), average_shares(), on the device
  const FieldStepNow* now;         // on the device
  unsigned* non_finite;            // number of parameters whose gradient was not finite; added to
};

/// The parameters of a grid, which follow the matrices.
struct TableUpdate {
  std::size_t first, count;  // parameters: both multiples of kFieldBlock
  void* sums;                // [count] of gradients; set to zero
  float factor;              // gradient_of_sum()
  std::uint16_t* halves;     // [count]: the values as halves; written where they change
};

/// Updates the first `count` parameters, a multiple of kFieldBlock.
void run_matrix_update(const FieldUpdateArgs& args, const float* gradients, std::size_t count,
                       cudaStream_t stream);

/// Updates the grid's parameters whose gradient is not 0. Of blocks without any, only the sums are
/// read.
void run_table_update(const FieldUpdateArgs& args, const TableUpdate& table, GradientSums kind,
                      cudaStream_t stream);

/// Averages of parameters.
struct FieldAverageArgs {
  FieldState state;
  FieldTable shares;
  std::uint32_t step;        // at least 1
  std::size_t first, count;  // parameters: both multiples of kFieldBlock
  float* values;             // [count]; null: not needed
  std::uint16_t* halves;     // [count]; null: not needed
};

/// Reads averages. The state stays.
void run_field_averages(const FieldAverageArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
