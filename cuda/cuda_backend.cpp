// The CUDA backend's entries in the table of backends.
#include <fmt/format.h>

#include "core/error.h"
#include "core/machine.h"
#include "cuda/device.h"
#include "cuda/gpu_backend.h"
#include "cuda/runtime/runtime.h"
#include "devices/cuda_entry.h"

namespace mote {
namespace {

std::string summary(const GpuDescription& gpu) {
  return fmt::format("{}, compute capability {}.{}, {} memory", gpu.name, gpu.compute_major,
                     gpu.compute_minor, bytes_text(gpu.memory_bytes));
}

}  // namespace

std::string_view cuda_architectures() {
  return cuda::built_architectures();
}

BackendProbe probe_cuda() {
  const auto found = cuda::find_device({});
  if (const auto* obstacle = std::get_if<cuda::Obstacle>(&found)) {
    return {false, obstacle->problem + "; " + obstacle->remedy};
  }
  return {true, summary(std::get<GpuDescription>(found))};
}

std::unique_ptr<Backend> make_cuda_backend(const DeviceOptions& options) {
  const auto found = cuda::find_device(options.index);
  if (const auto* obstacle = std::get_if<cuda::Obstacle>(&found)) {
    const std::string number = options.index ? fmt::format(":{}", *options.index) : "";
    throw Error(obstacle->problem, "device cuda" + number,
                obstacle->remedy + "; --device cpu works everywhere");
  }
  const GpuDescription& gpu = std::get<GpuDescription>(found);
  cuda::Gpu(gpu.index, gpu.name).enter();
  return cuda::make_gpu_backend(fmt::format("CUDA device {}, {}", gpu.index, summary(gpu)),
                                options.threads);
}

std::vector<GpuDescription> list_cuda_devices() {
  return cuda::list_devices();
}

}  // namespace mote
