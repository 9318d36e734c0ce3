// Sums over the rows written by blocks or warps, one block per column.

#include "cuda/kernels/column_sums.h"

#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = 256;

struct Totals {
  double sum[kThreads];
};

MOTE_KERNEL(kThreads)
column_sums(const FrameCounters* counters, const float* values, unsigned rows, double* sums) {
  if (counters->overflow != 0) return;
  Totals& totals = block_shared<Totals>();
  const unsigned columns = gridDim.x, column = blockIdx.x;
  double own = 0;
  for (unsigned row = threadIdx.x; row < rows; row += kThreads) {
    own += static_cast<double>(values[static_cast<std::size_t>(row) * columns + column]);
  }
  totals.sum[threadIdx.x] = own;
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) totals.sum[threadIdx.x] += totals.sum[threadIdx.x + half];
  }
  if (threadIdx.x == 0) sums[column] = totals.sum[0];
}

}  // namespace

void run_column_sums(const FrameCounters* counters, const float* values, unsigned rows,
                     unsigned columns, double* sums, cudaStream_t stream) {
  launch(column_sums, {.blocks = columns, .threads = kThreads, .name = "summing up"}, stream,
         counters, values, rows, sums);
}

}  // namespace mote::cuda
