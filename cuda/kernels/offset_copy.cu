// Copies of indices with an offset, for several scenes that follow each other in one list.

#include "cuda/kernels/offset_copy.h"

#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = 256;

MOTE_KERNEL(kThreads) offset_copy(OffsetCopyArgs args) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i < args.count) args.to[i] = args.from[i] + args.offset;
}

}  // namespace

void run_offset_copy(const OffsetCopyArgs& args, cudaStream_t stream) {
  launch(
      offset_copy,
      {.blocks = blocks_for(args.count, kThreads), .threads = kThreads, .name = "ordering scenes"},
      stream, args);
}

}  // namespace mote::cuda
