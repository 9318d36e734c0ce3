#pragma once

#include <memory>

#include "backend/splat_trainer.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {

/// Wraps the trainer so that any thread may call it: each call enters `gpu` first.
std::unique_ptr<SplatTrainer> guarded(std::unique_ptr<SplatTrainer> trainer, const Gpu& gpu);

}  // namespace mote::cuda
