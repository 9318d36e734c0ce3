#pragma once

#include <cstdint>

#include "backend/device_memory.h"

namespace mote::cuda {

/// The bytes of a request on a CUDA device, before allocation. Not included: a SolidSurface per
/// splat, which is allocated when solids are first drawn. Two photographs are held at a time.
UnitBytes unit_bytes(const MemoryRequest& request);

/// The same with the free memory of the calling thread's device. `held_bytes`: memory already held
/// for these splats and this view, which the request uses again. Throws Error if the device does
/// not answer.
MemoryEstimate memory_estimate(const MemoryRequest& request, std::uint64_t held_bytes = 0);

}  // namespace mote::cuda
