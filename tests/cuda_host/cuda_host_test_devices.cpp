// The CUDA backend, run on the host.
#include <algorithm>

#include "controls.h"
#include "cuda/gpu_backend.h"
#include "support/test_devices.h"

namespace mote {

std::vector<TestDevice> test_devices() {
  return {{.name = "cuda_host",
           .make = [] { return cuda::make_gpu_backend("CUDA, run on the host", 2); },
           .backward_forms = {BackwardForm::strips, BackwardForm::buckets},
           .stand_on = [](const auto& uuid) { std::ranges::copy(uuid, cuda_host::machine().uuid); },
           .is_slow = true}};
}

}  // namespace mote
