// A neural radiance field in training.
#include "train/fields/field_learner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "fields/applications/nerf_layout.h"
#include "fields/initial_parameters.h"
#include "fields/proposals/proposal_layout.h"
#include "io/fields/field_snapshot.h"
#include "train/fields/field_model.h"
#include "train/fields/field_placing.h"
#include "train/fields/field_plan.h"
#include "train/fields/in_memory_learner.h"
#include "train/fields/nerf_gradients.h"
#include "train/run/background.h"
#include "train/run/step_random.h"

namespace mote {
namespace {

/// Upper bound on the photographs of a step. More would not change the gradient much.
constexpr std::size_t kMostPhotographs = 256;

/// The field of a run before its first step.
struct FieldAtStart {
  NeuralField field = {};
  std::vector<std::string> warnings = {};
};

FieldAtStart field_at_start(const LearnerSite& site, const FieldOptions& options,
                            bool learns_poses) {
  const FieldSite place = place_field(site.dataset, site.layout, options.cube_side());
  FieldAtStart start;
  NeuralField& field = start.field;
  field.placement = place.placement;
  field.hdr = site.dataset.is_linear;
  field.aabb_scale = place.aabb_scale;
  field.render_box = place.render_box;
  with_config_places(options, [&] {
    field.config = with_latents_of_run(
        complete_nerf_config(chosen_config(options, FieldApplication::nerf), place.aabb_scale),
        options, site.dataset);
    field.config.optimizer->repeatable = options.grid_sums == "exact";
    if (options.init_field.empty()) {
      field.parameters = initial_nerf_parameters(field.config, site.seed);
    } else {
      start.warnings = start_from_snapshot(options, site.dataset.train.size(), field);
    }
    if (learns_poses) check_slopes(*field.config.encoding, "--pose-opt");
  });
  if (options.has_proposals() && options.init_field.empty()) {
    field.proposals = initial_proposals(*field.config.optimizer, site.seed);
  }
  field.occupancy.cascades = cascades_of(field.aabb_scale);
  field.occupancy.values.assign(
      static_cast<std::size_t>(field.occupancy.cascades) * kOccupancyCells, 0.0f);
  return start;
}

/// Messages about the start.
InitialRemarks remarks_of(const FieldAtStart& start, const FieldOptions& options) {
  const NeuralField& field = start.field;
  InitialRemarks remarks{
      .notes = {fmt::format("{} in a cube of side {}", field_description(field), field.aabb_scale)},
      .warnings = start.warnings};
  if (!field.latents.empty()) {
    remarks.notes.push_back(fmt::format("its photographs have the latents of {}, in the same order",
                                        options.init_field));
  }
  return remarks;
}

std::unique_ptr<FieldTrainer> make_trainer(const LearnerSite& site, const FieldOptions& options,
                                           const NeuralField& field, bool learns_poses) {
  std::vector<Camera> cameras;
  for (const std::uint32_t index : site.dataset.train) {
    cameras.push_back(site.dataset.photographs[index].camera);
  }
  const FieldTrainerSettings settings{
      .batch = samples_per_step(options, FieldApplication::nerf),
      .mapped_photographs = options.error_map ? site.dataset.photographs.size() : 0,
      .latent_photographs = site.dataset.train,
      .latent_seed = site.seed,
      .first_steps = static_cast<float>(options.march_step.front() - '0'),
      .occupancy_samples = static_cast<std::uint64_t>(options.occupancy_samples),
      .pose_gradients = learns_poses};
  return with_config_places(
      options, [&] { return site.backend.make_field_trainer(field, settings, cameras); });
}

class FieldLearner : public InMemoryLearner<FieldTrainer, NerfInTraining> {
 public:
  FieldLearner(const LearnerSite& site, const LoopOptions& loop, const FieldOptions& options)
      : FieldLearner(site, loop, options, field_at_start(site, options, loop.pose_opt)) {}

  std::size_t photographs_per_step(std::size_t in_memory) const override {
    return std::min(in_memory, kMostPhotographs);
  }

  LearnerMemory host_memory() const override {
    LearnerMemory memory = InMemoryLearner::host_memory();
    memory.saved = occupancy_cells_ * (sizeof(float) + kSnapshotCopies * sizeof(std::uint16_t));
    return memory;
  }

  std::vector<PhotoStepResult> step(std::span<const LearnRequest> photographs) override {
    std::vector<FieldPhoto> photos;
    for (const LearnRequest& request : photographs) {
      photos.push_back({.camera = request.view.camera,
                        .photo = request.photo,
                        .owner = request.photo_owner,
                        .exposure = request.exposure,
                        .number = request.photograph});
    }
    const LearnRequest& first = photographs.front();
    if (!first.random_background) background_ = first.background;
    const std::uint64_t step = first.position.steps_done + 1;
    const FieldStepRequest request{
        .photographs = photos,
        .background = first.background,
        .random_background = first.random_background || is_cut_out_,
        .step = step,
        .seed = step_seed(seed_, step, StepUse::noise),
        .learning_rate = lr_factor_ * field_learning_rate(optimizer_, first.position),
        .distortion_weight = distortion_weight_,
        .pose_gradients = first.pose_gradient};
    return results_of(take_step(step, request), has_proposals_);
  }

 private:
  FieldLearner(const LearnerSite& site, const LoopOptions& loop, const FieldOptions& options,
               const FieldAtStart& start)
      : InMemoryLearner(start.field, options,
                        make_trainer(site, options, start.field, loop.pose_opt),
                        {site.layout.focus, site.layout.extent},
                        Background(loop.background, site.seed).shown(), remarks_of(start, options)),
        seed_(site.seed),
        is_cut_out_(site.dataset.is_cut_out),
        has_proposals_(options.has_proposals()),
        distortion_weight_(static_cast<float>(options.distortion)),
        occupancy_cells_(start.field.occupancy.values.size()),
        lr_factor_(options.lr_factor),
        optimizer_(*start.field.config.optimizer) {}

  static std::vector<PhotoStepResult> results_of(const FieldStepResult& result,
                                                 bool has_proposals) {
    PhotoStepResult common{.loss = result.loss,
                           .l1 = result.l1,
                           .mse = result.mse,
                           .is_measured = result.rays > 0,
                           .forward_ms = result.march_ms + result.forward_ms,
                           .backward_ms = result.backward_ms,
                           .update_ms = result.update_ms,
                           .total_ms = result.total_ms};
    if (has_proposals) {
      common.interlevel = result.interlevel;
      common.distortion = result.distortion;
    }
    std::vector<PhotoStepResult> results(result.photographs.size(), common);
    for (std::size_t i = 0; i < results.size(); ++i) {
      set_gradients(result.photographs[i], results[i]);
    }
    results.front().d_background = result.d_background;
    return results;
  }

  const std::uint64_t seed_;
  /// Behind a subject that is cut out, each ray has another background, so that no part of the
  /// field can take its place.
  const bool is_cut_out_;
  const bool has_proposals_;
  const float distortion_weight_;
  const std::uint64_t occupancy_cells_;
  const double lr_factor_;
  const FieldOptimizer optimizer_;
};

}  // namespace

std::unique_ptr<Learner> make_field_learner(const LearnerSite& site, const LoopOptions& loop,
                                            const FieldOptions& options) {
  return std::make_unique<FieldLearner>(site, loop, options);
}

}  // namespace mote
