#include "train/fields/nerf_gradients.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "core/error.h"

namespace mote {
namespace {

/// The base that owns the trainer is made before the base that uses it.
struct TrainerOwner {
  std::unique_ptr<FieldTrainer> owned;
};

class OwnNerf : private TrainerOwner, public NerfInTraining {
 public:
  OwnNerf(std::unique_ptr<FieldTrainer> trainer, const SceneExtent& extent, std::string description)
      : TrainerOwner{std::move(trainer)}, NerfInTraining(*owned, extent, std::move(description)) {}
};

}  // namespace

NerfInTraining::NerfInTraining(FieldTrainer& trainer, const SceneExtent& extent,
                               std::string description)
    : FieldInTraining(trainer, extent, std::move(description)), trainer_(trainer) {}

PhotoStepResult NerfInTraining::differentiate(const LearnRequest& request) {
  const FieldPhoto photo{.camera = request.view.camera,
                         .photo = request.photo,
                         .owner = request.photo_owner,
                         .exposure = request.exposure,
                         .number = request.photograph};
  const FieldStepResult step =
      trainer_.differentiate({.photographs = {&photo, 1},
                              .background = request.background,
                              .random_background = request.random_background,
                              .distortion_weight = 0,  // the compared loss has no distortion
                              .pose_gradients = request.pose_gradient});
  PhotoStepResult result{.loss = step.loss,
                         .l1 = step.l1,
                         .mse = step.mse,
                         .is_measured = step.rays > 0,
                         .d_background = step.d_background,
                         .total_ms = step.total_ms};
  set_gradients(step.photographs.front(), result);
  return result;
}

void set_gradients(const FieldPhotoGradient& gradient, PhotoStepResult& result) {
  result.d_exposure = gradient.exposure;
  result.d_pose_rotation = gradient.rotation;
  result.d_pose_translation = gradient.translation;
}

std::unique_ptr<Differentiable> upload_nerf_for_gradients(Backend& backend, NeuralField field,
                                                          const SceneExtent& extent) {
  std::string description = field_description(field);
  return std::make_unique<OwnNerf>(
      backend.make_field_trainer(std::move(field), {.pose_gradients = true, .is_trained = true},
                                 {}),
      extent, std::move(description));
}

void check_slopes(const EncodingConfig& encoding, std::string_view option, const std::string& where,
                  const std::string& remedy) {
  for (const EncodingPart& part : encoding.parts) {
    const auto* grid = std::get_if<GridEncoding>(&part.kind);
    if (grid == nullptr || grid->grid.interpolation != Interpolation::nearest) continue;
    throw Error(fmt::format("grids of the nearest point have no slope, which {} needs", option),
                where, remedy);
  }
}

void check_slopes(const EncodingConfig& encoding, std::string_view option) {
  check_slopes(encoding, option, "encoding/interpolation",
               fmt::format("use Linear or Smoothstep, or leave {} out", option));
}

}  // namespace mote
