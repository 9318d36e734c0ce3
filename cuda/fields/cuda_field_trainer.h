#pragma once

// Training of NeRFs on the device.

#include <memory>
#include <span>
#include <string>

#include "backend/field_trainer.h"
#include "core/parallel.h"
#include "cuda/runtime/runtime.h"
#include "fields/neural_field.h"

namespace mote::cuda {

/// Makes a trainer on the calling thread's device, see Backend::make_field_trainer(). `device`: for
/// messages. `pool` makes rays, and must outlive it. Throws Error, which names the part, for a
/// field that has no kernels, and one with the needed size if memory is insufficient.
std::unique_ptr<FieldTrainer> make_cuda_field_trainer(NeuralField field,
                                                      const FieldTrainerSettings& settings,
                                                      std::span<const Camera> cameras,
                                                      const std::string& device, ThreadPool& pool,
                                                      cudaStream_t stream);

}  // namespace mote::cuda
