#pragma once

#include <memory>

#include "backend/splat_trainer.h"
#include "core/parallel.h"
#include "cpu/kernels.h"

namespace mote {

/// Makes a trainer on the CPU. `kernels` and `pool` must outlive it.
std::unique_ptr<SplatTrainer> make_cpu_trainer(SplatCloud cloud, const TrainerSettings& settings,
                                               const CpuKernels& kernels, ThreadPool& pool);

}  // namespace mote
