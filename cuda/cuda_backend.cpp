// The CUDA backend's entries in the table of backends.
#include "backend/cuda_entry.h"
#include "core/error.h"
#include "cuda/device.h"

namespace mote {
namespace {

constexpr const char* kNoRenderer = "this build cannot render on it yet";

}  // namespace

BackendProbe probe_cuda() {
  const auto found = cuda::find_device({});
  if (const auto* obstacle = std::get_if<cuda::Obstacle>(&found)) {
    return {false, obstacle->problem + "; " + obstacle->remedy};
  }
  return {false, std::get<GpuDescription>(found).name + ": " + kNoRenderer};
}

std::unique_ptr<Backend> make_cuda_backend(const DeviceOptions& options) {
  auto found = cuda::find_device(options.index);
  if (const auto* obstacle = std::get_if<cuda::Obstacle>(&found)) {
    const std::string number = options.index ? ":" + std::to_string(*options.index) : "";
    throw Error(obstacle->problem, "device cuda" + number,
                obstacle->remedy + "; --device cpu works everywhere");
  }
  const cuda::Device device(std::get<GpuDescription>(std::move(found)));
  throw Error(kNoRenderer, cuda::device_label(), "use --device cpu");
}

std::vector<GpuDescription> list_cuda_devices() {
  return cuda::list_devices();
}

}  // namespace mote
