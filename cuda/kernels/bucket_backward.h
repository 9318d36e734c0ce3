#pragma once

#include <cuda_runtime.h>

#include "cuda/kernels/backward.h"
#include "cuda/kernels/checkpoints.h"

namespace mote::cuda {

/// As run_backward(), by buckets: `checkpoints` are what blending left, of `buckets` at most.
void run_bucket_backward(const BackwardArgs& args, const Checkpoints& checkpoints, unsigned buckets,
                         cudaStream_t stream);

}  // namespace mote::cuda
