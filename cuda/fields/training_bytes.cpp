#include "cuda/fields/training_bytes.h"

#include "core/error.h"
#include "cuda/fields/device_occupancy.h"
#include "cuda/fields/device_optimizer.h"
#include "cuda/fields/field_tables.h"
#include "cuda/fields/fit_batch.h"
#include "cuda/fields/free_memory.h"
#include "cuda/fields/nerf_step.h"
#include "fields/proposals/proposal_layout.h"
#include "fields/training_schedule.h"

namespace mote::cuda {

std::optional<FieldBytes> field_training_bytes(const NeuralField& field, std::uint64_t samples,
                                               bool eikonal) {
  const bool is_nerf = field.application == FieldApplication::nerf;
  if (!(is_nerf ? missing_nerf_kernels(field) : missing_kernels(field)).empty()) return {};
  if (eikonal && !missing_slope_kernels(field).empty()) return {};
  const std::size_t parameters = field_parameters(field.application, field.config);
  const auto state = [&](std::size_t encoding_first) {
    return DeviceOptimizer::bytes_for(*field.config.optimizer, encoding_first, parameters,
                                      training_sums(*field.config.optimizer));
  };
  if (is_nerf) {
    const NerfForm form(field);
    const int cascades = cascades_of(field.aabb_scale);
    if (field.proposals) {
      const auto each = static_cast<std::size_t>(field.proposals->samples);
      const std::size_t rays = proposed_rays(samples, each);
      std::size_t all = parameters;
      for (const ProposalRound& round : field.proposals->rounds) all += proposal_parameters(round);
      // Cells are on the device, but no step measures them.
      const std::size_t cells =
          DeviceOccupancy::bytes_for(cascades) +
          static_cast<std::size_t>(cascades) * kOccupancyCells * sizeof(float);
      return FieldBytes{
          all,
          state(form.layout.encoding_first) + cells +
              ProposalTraining::state_bytes_for(field, training_sums(*field.config.optimizer)),
          NerfStep::proposed_bytes_for(form, rays, each) +
              ProposalTraining::step_bytes_for(field, StepRays::space_for(rays))};
    }
    const std::size_t occupancy = TrainedOccupancy::bytes_for(form, cascades);
    return FieldBytes{parameters, state(form.layout.encoding_first) + occupancy,
                      NerfStep::bytes_for(form, TrainingSchedule::fewest_rays(samples),
                                          static_cast<std::size_t>(samples * kTrainingSpace))};
  }
  const FitShape shape(field);
  return FieldBytes{parameters, state(shape.layout.encoding_first),
                    fit_batch_bytes(shape, static_cast<std::size_t>(samples), eikonal)};
}

void check_nerf_trains(const NeuralField& field, const FieldTrainerSettings& settings,
                       const std::string& device) {
  const std::string missing = missing_nerf_kernels(field);
  if (!missing.empty()) throw Error(missing, device, "train it with --device cpu");
  if (settings.pose_gradients) {
    throw Error(
        "poses are not corrected with neural fields on this device", device,
        "use --device cpu, or leave out --pose-opt; of mote eval, give --fit none or exposure");
  }
  CHECK(!settings.is_trained);
  const FieldBytes bytes = *field_training_bytes(field, settings.batch, false);
  check_free_memory(bytes.state,
                    "training " + std::to_string(field.parameters.size()) + " parameters",
                    remedy_of_field());
}

}  // namespace mote::cuda
