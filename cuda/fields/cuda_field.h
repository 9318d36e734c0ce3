#pragma once

// Neural fields on the device: their tables and weights, and what is drawn and evaluated of them.

#include <memory>
#include <string>

#include "backend/field_trainer.h"
#include "core/parallel.h"
#include "cuda/runtime/runtime.h"
#include "fields/neural_field.h"

namespace mote::cuda {

/// Puts a field on the calling thread's device. `device`: for messages. `pool` makes rays, and must
/// outlive it. Throws Error, which names the part, for a field that has no kernels.
std::unique_ptr<DeviceField> make_cuda_field(NeuralField field, const std::string& device,
                                             ThreadPool& pool, cudaStream_t stream);

}  // namespace mote::cuda
