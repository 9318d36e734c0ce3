#pragma once

// Neural fields on the CPU.

#include <memory>
#include <span>

#include "backend/field_fitter.h"
#include "backend/field_trainer.h"
#include "cpu/nerf_waves.h"
#include "fields/field_march.h"

namespace mote {

/// The logarithms of a NeRF's density as DeviceField::evaluate() gives them.
void evaluate_densities(FieldParameters tables, NerfWaves& waves, const float* positions,
                        std::size_t count, std::size_t stride, float* values);

/// Colours of a NeRF as DeviceField::radiance() gives them.
void evaluate_radiance(FieldParameters tables, NerfWaves& waves, const float* positions,
                       const float* directions, std::size_t count, std::size_t stride,
                       float* colors);

/// Puts the field on the CPU. `kernels` and `pool` must outlive it. Throws Error if the CPU does
/// not draw such a field.
std::unique_ptr<DeviceField> make_cpu_field(NeuralField field, const CpuKernels& kernels,
                                            ThreadPool& pool);

/// Makes a trainer on the CPU, see Backend::make_field_trainer().
std::unique_ptr<FieldTrainer> make_cpu_field_trainer(NeuralField field,
                                                     const FieldTrainerSettings& settings,
                                                     std::span<const Camera> cameras,
                                                     const CpuKernels& kernels, ThreadPool& pool);

/// Makes a fitter on the CPU, see Backend::make_field_fitter().
std::unique_ptr<FieldFitter> make_cpu_field_fitter(NeuralField field, const CpuKernels& kernels,
                                                   ThreadPool& pool);

}  // namespace mote
