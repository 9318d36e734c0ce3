#pragma once

#include <memory>

#include "backend/splat_trainer.h"
#include "core/parallel.h"
#include "cuda/runtime.h"

namespace mote::cuda {

/// A trainer on the calling thread's device. The pool puts splats in order on the host; it and the
/// stream must outlive the trainer. Throws Error where there is nothing to train or no memory.
std::unique_ptr<SplatTrainer> make_cuda_trainer(SplatCloud cloud, const TrainerSettings& settings,
                                                ThreadPool& pool, cudaStream_t stream);

}  // namespace mote::cuda
