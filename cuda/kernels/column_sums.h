#pragma once

#include <cuda_runtime.h>

namespace mote::cuda {

/// sums[column] = sum of values[row][column] in double precision, in a fixed order.
void run_column_sums(const float* values, unsigned rows, unsigned columns, double* sums,
                     cudaStream_t stream);

}  // namespace mote::cuda
