#pragma once

#include "backend/backend.h"

namespace mote {

// The interface of the table of backends to CUDA. It is defined by cuda/, or by no_cuda.cpp in a
// build without CUDA, which reports that. The linker makes the choice, so that no other code asks.

BackendProbe probe_cuda();

/// The architectures of the compiled kernels, in CMake's notation, separated by blanks; empty in a
/// build without CUDA.
std::string_view cuda_architectures();

/// Throws Error, with the remedy, where the device is unusable.
std::unique_ptr<Backend> make_cuda_backend(const DeviceOptions& options);

/// Every NVIDIA GPU that the driver finds.
std::vector<GpuDescription> list_cuda_devices();

}  // namespace mote
