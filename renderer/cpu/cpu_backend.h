#pragma once

#include <memory>

#include "backend/backend.h"

namespace mote {

BackendProbe probe_cpu();

/// The CPU backend. Throws Error for an instruction set that is unknown or that this processor
/// lacks, and for a device index other than 0.
std::unique_ptr<Backend> make_cpu_backend(const DeviceOptions& options);

}  // namespace mote
