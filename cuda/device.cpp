#include "cuda/device.h"

#include <cuda_runtime.h>
#include <fmt/format.h>

#include "core/machine.h"
#include "cuda/kernels/code_check.h"

namespace mote::cuda {
namespace {

/// Converts CUDA's number 13000 to "13.0".
std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

/// The first driver version for a major version of CUDA, if known.
std::string driver_for(int major) {
  switch (major) {
    case 12:
      return "driver 525 or newer";
    case 13:
      return "driver 580 or newer";
    default:
      return fmt::format("a driver for CUDA {}", major);
  }
}

/// The obstacle for a call that failed for an unexpected reason.
Obstacle unexpected(const char* what, cudaError_t status) {
  cudaGetLastError();  // clears the error, which a later launch would report
  if (status == cudaErrorDevicesUnavailable) {
    return {fmt::format("{} failed: another program uses it exclusively", what),
            "end that program, or use another GPU"};
  }
  return {
      fmt::format("{} failed: {} ({})", what, cudaGetErrorString(status), cudaGetErrorName(status)),
      "check that `nvidia-smi` works"};
}

/// The driver's CUDA version and its number of devices.
struct Driver {
  int version = 0, built_for = 0, devices = 0;
};

std::variant<Driver, Obstacle> find_driver() {
  Driver driver;
  cudaError_t status = cudaDriverGetVersion(&driver.version);
  if (status == cudaSuccess) status = cudaRuntimeGetVersion(&driver.built_for);
  if (status != cudaSuccess) return unexpected("querying the NVIDIA driver", status);
  const std::string newer = driver_for(driver.built_for / 1000);
  if (driver.version == 0) {
    return Obstacle{"there is no NVIDIA driver",
                    fmt::format("install {} (start a container with its GPUs)", newer)};
  }
  // A driver runs programs for its own major version and for earlier ones.
  if (driver.version / 1000 < driver.built_for / 1000) {
    return Obstacle{
        fmt::format(
            "the NVIDIA driver is too old: it supports CUDA {}, but this build needs CUDA {}",
            version_text(driver.version), version_text(driver.built_for)),
        fmt::format("install {}, or build Mote with an older toolkit", newer)};
  }
  status = cudaGetDeviceCount(&driver.devices);
  if (status == cudaErrorNoDevice || (status == cudaSuccess && driver.devices == 0)) {
    cudaGetLastError();
    return Obstacle{
        "the NVIDIA driver finds no GPU",
        "check that `nvidia-smi` lists one and that CUDA_VISIBLE_DEVICES does not hide it"};
  }
  if (status != cudaSuccess) return unexpected("listing devices", status);
  return driver;
}

/// A device that may be usable.
struct Candidate {
  GpuDescription gpu;

  bool usable() const { return gpu.problem.empty(); }
  void refuse(Obstacle obstacle) {
    gpu.problem = std::move(obstacle.problem);
    gpu.remedy = std::move(obstacle.remedy);
  }
  std::string title() const { return fmt::format("cuda:{} ({})", gpu.index, gpu.name); }
};

/// Describes the device without opening it. Rejects it if it is too old.
Candidate describe(int index, const Driver& driver) {
  Candidate found;
  GpuDescription& gpu = found.gpu;
  gpu.index = index;
  gpu.name = "unknown GPU";
  gpu.driver = version_text(driver.version);
  cudaDeviceProp properties{};
  const cudaError_t status = cudaGetDeviceProperties(&properties, index);
  if (status != cudaSuccess) {
    found.refuse(unexpected("querying its properties", status));
    return found;
  }
  gpu.name = properties.name;
  gpu.compute_major = properties.major;
  gpu.compute_minor = properties.minor;
  gpu.multiprocessors = properties.multiProcessorCount;
  gpu.memory_bytes = properties.totalGlobalMem;
  if (10 * gpu.compute_major + gpu.compute_minor < kOldestCompute) {
    found.refuse({fmt::format("it is too old: it has compute capability {}.{}, but {}.{} is needed",
                              gpu.compute_major, gpu.compute_minor, kOldestCompute / 10,
                              kOldestCompute % 10),
                  "use another GPU"});
  }
  return found;
}

/// Rejects the calling thread's device if this build has no code for it.
void look_for_code(Candidate& candidate) {
  const GpuDescription& gpu = candidate.gpu;
  const cudaError_t status = check_kernel_code();
  if (status == cudaSuccess) return;
  cudaGetLastError();
  if (status == cudaErrorNoKernelImageForDevice || status == cudaErrorInvalidDeviceFunction) {
    candidate.refuse(
        {fmt::format("this build has no code for compute capability {}.{}, only for {}",
                     gpu.compute_major, gpu.compute_minor, built_architectures()),
         "build Mote on this machine with -DMOTE_CUDA_ARCHITECTURES=native"});
  } else if (status == cudaErrorUnsupportedPtxVersion) {
    candidate.refuse(
        {fmt::format("its driver for CUDA {} is older than this build's code", gpu.driver),
         "install a newer driver, or build Mote on this machine with "
         "-DMOTE_CUDA_ARCHITECTURES=native"});
  } else {
    candidate.refuse(unexpected("looking for this build's code", status));
  }
}

/// Opens the device for the calling thread to query its free memory and whether this build has code
/// for it. Rejects it on failure.
void open(Candidate& candidate) {
  std::size_t free_bytes = 0, total_bytes = 0;
  cudaError_t status = cudaSetDevice(candidate.gpu.index);
  if (status == cudaSuccess) status = cudaMemGetInfo(&free_bytes, &total_bytes);
  if (status != cudaSuccess) {
    candidate.refuse(unexpected("opening it", status));
    return;
  }
  candidate.gpu.free_bytes = free_bytes;
  if (candidate.usable()) look_for_code(candidate);
  if (candidate.usable() && free_bytes < kLeastFree_bytes) {
    candidate.refuse(
        {fmt::format("it has too little memory: {} of {} are free, but at least {} are needed",
                     bytes_text(free_bytes), bytes_text(total_bytes), bytes_text(kLeastFree_bytes)),
         "end other programs on it, or use another GPU"});
  }
}

}  // namespace

std::string_view built_architectures() {
  return MOTE_BUILT_FOR;
}

std::vector<GpuDescription> list_devices() {
  const auto found = find_driver();
  std::vector<GpuDescription> gpus;
  if (const auto* driver = std::get_if<Driver>(&found)) {
    for (int index = 0; index < driver->devices; ++index) {
      Candidate candidate = describe(index, *driver);
      open(candidate);
      gpus.push_back(std::move(candidate.gpu));
    }
  }
  return gpus;
}

std::variant<GpuDescription, Obstacle> find_device(std::optional<int> wanted) {
  auto found = find_driver();
  if (auto* obstacle = std::get_if<Obstacle>(&found)) return std::move(*obstacle);
  const Driver& driver = std::get<Driver>(found);
  if (wanted && (*wanted < 0 || *wanted >= driver.devices)) {
    std::string titles;
    for (int index = 0; index < driver.devices; ++index) {
      titles += (index == 0 ? "" : ", ") + describe(index, driver).title();
    }
    return Obstacle{fmt::format("there is no GPU number {}", *wanted), "use one of: " + titles};
  }
  Obstacle refused;
  for (int index = 0; index < driver.devices; ++index) {
    if (wanted && index != *wanted) continue;
    Candidate candidate = describe(index, driver);
    if (candidate.usable()) open(candidate);
    if (candidate.usable()) return std::move(candidate.gpu);
    refused.problem += (refused.problem.empty() ? "" : "; ") + candidate.title() + ": ";
    refused.problem += candidate.gpu.problem;
    refused.remedy = candidate.gpu.remedy;
  }
  return refused;
}

}  // namespace mote::cuda
