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

}  // namespace mote::cuda
