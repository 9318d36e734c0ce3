#pragma once

// Training of fields with one network on the device.

#include <memory>
#include <string>

#include "backend/field_fitter.h"
#include "core/parallel.h"
#include "cuda/runtime/runtime.h"
#include "fields/neural_field.h"

namespace mote::cuda {

/// Makes a fitter on the calling thread's device, see Backend::make_field_fitter(). `device`: for
/// messages. `pool` fills samples, and must outlive it. Throws Error, which names the part, for a
/// field that has no kernels, and one with the needed size if memory is insufficient.
std::unique_ptr<FieldFitter> make_cuda_field_fitter(NeuralField field, const std::string& device,
                                                    ThreadPool& pool, cudaStream_t stream);

}  // namespace mote::cuda
