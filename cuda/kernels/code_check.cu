// Queries the code of an empty kernel. It is compiled for the same devices as the other kernels.
#include "cuda/kernels/code_check.h"
#include "cuda/runtime/dialect.h"

namespace mote::cuda {
namespace {

MOTE_KERNEL(kWarp) do_nothing() {}

}  // namespace

cudaError_t check_kernel_code() {
  cudaFuncAttributes attributes{};
  return cudaFuncGetAttributes(&attributes, do_nothing);
}

}  // namespace mote::cuda
