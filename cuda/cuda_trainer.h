#pragma once

#include <memory>

#include "backend/splat_trainer.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {

/// A trainer on the calling thread's device; the stream must outlive it. Throws Error if there is
/// nothing to train or not enough memory.
std::unique_ptr<SplatTrainer> make_cuda_trainer(const SplatCloud& cloud,
                                                const TrainerSettings& settings,
                                                cudaStream_t stream);

/// Wraps the trainer so that any thread may call it: each call enters `gpu` first.
std::unique_ptr<SplatTrainer> guarded(std::unique_ptr<SplatTrainer> trainer, const Gpu& gpu);

}  // namespace mote::cuda
