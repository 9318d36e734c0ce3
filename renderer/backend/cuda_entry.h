#pragma once

#include "backend/backend.h"

namespace mote {

// How the table of backends knows CUDA. cuda/ defines these; where it is not in the build,
// no_cuda.cpp does, to say so. Which of the two is linked decides, so that nothing above asks.

BackendProbe probe_cuda();

/// The architectures that its kernels are compiled for, as CMake names them, separated by blanks;
/// empty where it is not in the build.
std::string_view cuda_architectures();

/// Throws Error, with the remedy, where the device cannot be used.
std::unique_ptr<Backend> make_cuda_backend(const DeviceOptions& options);

/// Every NVIDIA GPU that the driver finds.
std::vector<GpuDescription> list_cuda_devices();

}  // namespace mote
