#include "cuda/fields/training_bytes.h"

#include "cuda/fields/device_optimizer.h"
#include "cuda/fields/field_tables.h"
#include "cuda/fields/fit_batch.h"
#include "cuda/fields/ray_waves.h"
#include "fields/training_schedule.h"

namespace mote::cuda {
namespace {

/// Beside samples: targets, losses and colours of rays, and their directions.
std::size_t bytes_of_ray(const NerfForm& form) {
  return sizeof(RayTarget) + sizeof(RayLoss) + sizeof(DrawnColor) + sizeof(std::uint32_t) +
         static_cast<std::size_t>(form.direction_words) * sizeof(std::uint32_t);
}

}  // namespace

std::size_t nerf_step_bytes(const NerfForm& form, std::size_t rays, std::size_t samples) {
  return RayWaves::bytes_for(rays, samples) + NerfSamples::bytes_for(form, samples, true) +
         rays * bytes_of_ray(form);
}

std::optional<FieldBytes> field_training_bytes(const NeuralField& field, std::uint64_t samples) {
  const bool is_nerf = field.application == FieldApplication::nerf;
  if (!(is_nerf ? missing_nerf_kernels(field) : missing_kernels(field)).empty()) return {};
  const std::size_t parameters = field_parameters(field.application, field.config);
  const auto state = [&](std::size_t encoding_first) {
    return DeviceOptimizer::bytes_for(*field.config.optimizer, encoding_first, parameters,
                                      kTrainingSums);
  };
  if (is_nerf) {
    const NerfForm form(field);
    return FieldBytes{parameters, state(form.layout.encoding_first),
                      nerf_step_bytes(form, TrainingSchedule::kFewestRays,
                                      static_cast<std::size_t>(samples * kTrainingSpace))};
  }
  const FitShape shape(field);
  return FieldBytes{parameters, state(shape.layout.encoding_first),
                    fit_batch_bytes(shape, static_cast<std::size_t>(samples))};
}

}  // namespace mote::cuda
