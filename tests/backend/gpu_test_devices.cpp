// CUDA on the first usable device of this machine.
#include "devices/cuda_entry.h"
#include "devices/devices.h"
#include "support/test_devices.h"

namespace mote {

std::vector<TestDevice> test_devices() {
  const BackendProbe probe = probe_cuda();
  return {{"cuda",
           [] { return make_backend("cuda", {}); },
           probe.usable ? "" : probe.detail,
           {BackwardForm::strips, BackwardForm::buckets}}};
}

}  // namespace mote
