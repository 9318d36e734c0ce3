#pragma once

#include <cstdint>

#include "backend/device_memory.h"

namespace mote::cuda {

/// The bytes of a request on a CUDA device, before allocation. Solids also take a SolidSurface once
/// one is drawn. Of photographs, two are held at a time.
UnitBytes unit_bytes(const MemoryRequest& request);

/// The same with the memory of the calling thread's device now. `held_bytes`: of the same splats
/// and view, which the request uses again. Throws Error if the device does not answer.
MemoryEstimate memory_estimate(const MemoryRequest& request, std::uint64_t held_bytes = 0);

}  // namespace mote::cuda
