#pragma once

#include <cuda_runtime.h>

namespace mote::cuda {

/// Whether the calling thread's device can run this build's kernels. Returns success or CUDA's
/// error, for example if there is no code for the device or its driver is older than the code.
cudaError_t check_kernel_code();

}  // namespace mote::cuda
