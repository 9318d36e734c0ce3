// The CUDA entry of a build without CUDA.
#include "core/error.h"
#include "devices/cuda_entry.h"

namespace mote {
namespace {

constexpr const char* kProblem = "this build has no CUDA";
constexpr const char* kRemedy =
    "for an NVIDIA GPU, install the CUDA toolkit (12.4 or newer) and build Mote again";

}  // namespace

std::string_view cuda_architectures() {
  return "";
}

BackendProbe probe_cuda() {
  return {false, std::string(kProblem) + "; " + kRemedy};
}

std::unique_ptr<Backend> make_cuda_backend(const DeviceOptions&) {
  throw Error(kProblem, "device cuda", std::string(kRemedy) + "; --device cpu works everywhere");
}

std::vector<GpuDescription> list_cuda_devices() {
  return {};
}

}  // namespace mote
