#pragma once

#include <cuda_runtime.h>

#include "cuda/kernels/backward.h"
#include "cuda/kernels/checkpoints.h"

namespace mote::cuda {

/// Like run_backward(), by buckets. `checkpoints`: those of blending, at most `buckets`.
void run_bucket_backward(const BackwardArgs& args, const Checkpoints& checkpoints, unsigned buckets,
                         cudaStream_t stream);

}  // namespace mote::cuda
