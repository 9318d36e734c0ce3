#pragma once

#include <memory>
#include <string>

#include "backend/backend.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {

/// The backend on the calling thread's device, with its own stream. The backend, its scenes and its
/// trainers may be used and destroyed by any thread, one at a time. `threads` (0: all) prepare
/// scenes on the host.
std::unique_ptr<Backend> make_gpu_backend(std::string description, int threads);

}  // namespace mote::cuda
