#pragma once

#include "backend/backend.h"

namespace mote {

// The functions of CUDA that the table of backends uses. cuda/ defines them. In a build without
// CUDA, no_cuda.cpp defines them and reports that CUDA is missing. Other code needs no distinction.

BackendProbe probe_cuda();

/// The architectures of the compiled kernels, in CMake's notation, separated by blanks; empty in a
/// build without CUDA.
std::string_view cuda_architectures();

/// Throws Error, with the remedy, if the device is unusable.
std::unique_ptr<Backend> make_cuda_backend(const DeviceOptions& options);

/// Every NVIDIA GPU that the driver finds.
std::vector<GpuDescription> list_cuda_devices();

}  // namespace mote
