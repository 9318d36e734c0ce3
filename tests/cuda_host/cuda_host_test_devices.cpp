// The CUDA backend, run on the host.
#include "cuda/gpu_backend.h"
#include "test_devices.h"

namespace mote {

std::vector<TestDevice> test_devices() {
  return {{.name = "cuda_host",
           .make = [] { return cuda::make_gpu_backend("CUDA, run on the host", 2); },
           .backward_forms = {BackwardForm::strips, BackwardForm::buckets}}};
}

}  // namespace mote
