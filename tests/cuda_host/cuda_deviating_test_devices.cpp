// The CUDA backend, run on the host, with the differences that a device may make.
#include "controls.h"
#include "cuda/gpu_backend.h"
#include "support/test_devices.h"

namespace mote {

std::vector<TestDevice> test_devices() {
  return {{.name = "cuda_deviating",
           .make =
               [] {
                 cuda_host::machine().flush_to_zero = true;
                 return cuda::make_gpu_backend("CUDA, run on the host with deviations", 2);
               },
           .backward_forms = {BackwardForm::strips, BackwardForm::buckets},
           .is_slow = true}};
}

}  // namespace mote
