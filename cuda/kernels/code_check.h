#pragma once

#include <cuda_runtime.h>

namespace mote::cuda {

/// Whether the calling thread's device can run this build's kernels: success, or what CUDA says of
/// it, such as that there is no code for the device, or that its driver is older than the code.
cudaError_t check_kernel_code();

}  // namespace mote::cuda
