#pragma once

#include <cuda_runtime.h>

#include "cuda/kernels/frame.h"

namespace mote::cuda {

/// sums[column] = sum of values[row][column] in double precision, in a fixed order. Leaves `sums`
/// as they are after an overflow, since the frame then has no values.
void run_column_sums(const FrameCounters* counters, const float* values, unsigned rows,
                     unsigned columns, double* sums, cudaStream_t stream);

}  // namespace mote::cuda
