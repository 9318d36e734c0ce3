// A neural radiance field in training.
#include "train/fields/field_learner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "fields/applications/nerf_layout.h"
#include "fields/initial_parameters.h"
#include "train/fields/broken_parameters.h"
#include "train/fields/field_model.h"
#include "train/fields/field_placing.h"
#include "train/fields/field_plan.h"
#include "train/run/background.h"
#include "train/run/step_random.h"

namespace mote {
namespace {

/// Upper bound on the photographs of a step. More would not change the gradient much.
constexpr std::size_t kMostPhotographs = 256;

NeuralField initial_field(const LearnerSite& site, const FieldOptions& options) {
  const FieldSite place = place_field(site.dataset, site.layout, options.aabb_scale);
  NeuralField field;
  field.placement = place.placement;
  field.aabb_scale = place.aabb_scale;
  field.render_box = field_cube(place.aabb_scale);
  field.config =
      complete_nerf_config(chosen_config(options, FieldApplication::nerf), place.aabb_scale);
  field.parameters = initial_nerf_parameters(field.config, site.seed);
  field.occupancy.cascades = cascades_of(place.aabb_scale);
  field.occupancy.values.assign(
      static_cast<std::size_t>(field.occupancy.cascades) * kOccupancyCells, 0.0f);
  return field;
}

std::unique_ptr<FieldTrainer> make_trainer(const LearnerSite& site, const FieldOptions& options) {
  std::vector<Camera> cameras;
  for (const std::uint32_t index : site.dataset.train) {
    cameras.push_back(site.dataset.photographs[index].camera);
  }
  return site.backend.make_field_trainer(
      initial_field(site, options), {.batch = static_cast<std::uint64_t>(options.batch)}, cameras);
}

class FieldLearner : public Learner {
 public:
  FieldLearner(const LearnerSite& site, const LoopOptions& loop, const FieldOptions& options)
      : seed_(site.seed),
        is_cut_out_(site.dataset.is_cut_out),
        trainer_(make_trainer(site, options)),
        drawable_(
            *trainer_, {site.layout.focus, site.layout.extent},
            fmt::format("a neural field of {} parameters in training", trainer_->parameters())),
        background_(Background(loop.background, site.seed).shown()) {
    const NeuralField field = trainer_->field();
    optimizer_ = *field.config.optimizer;
    remarks_.notes.push_back(
        fmt::format("{} in a cube of side {}", field_description(field), field.aabb_scale));
  }

  const ModelEntry& model() const override { return kNerfModel; }
  const InitialRemarks& initial_remarks() const override { return remarks_; }
  int detail_at(const RunPosition&) const override { return 0; }
  void change(const RunPosition&) override {}

  std::size_t photographs_per_step(std::size_t in_memory) const override {
    return std::min(in_memory, kMostPhotographs);
  }

  std::vector<PhotoStepResult> step(std::span<const LearnRequest> photographs) override {
    std::vector<FieldPhoto> photos;
    for (const LearnRequest& request : photographs) {
      photos.push_back({request.view.camera, request.photo, request.exposure});
    }
    const LearnRequest& first = photographs.front();
    if (!first.random_background) background_ = first.background;
    const std::uint64_t step = first.position.steps_done + 1;
    whole_ = false;
    const FieldStepResult result =
        trainer_->step({.photographs = photos,
                        .background = first.background,
                        .random_background = first.random_background || is_cut_out_,
                        .step = step,
                        .seed = step_seed(seed_, step, StepUse::noise),
                        .learning_rate = field_learning_rate(optimizer_, first.position)});
    whole_ = true;
    broken_.note(step, result.non_finite);
    return results_of(result);
  }

  void finish(const RunPosition&) override {}
  bool is_whole() const override { return whole_; }
  Differentiable& drawable() override { return drawable_; }

  std::uint64_t count() const override { return trainer_->parameters(); }
  std::uint64_t most_count() const override { return trainer_->parameters(); }
  std::uint64_t broken_count() const override { return broken_.count(); }
  LearnerMemory host_memory() const override {
    return {.state = trainer_->state_bytes(), .work = trainer_->step_bytes()};
  }
  std::unique_ptr<HostModel> copy() const override {
    NeuralField field = trainer_->field();
    field.background = background_;
    return std::make_unique<HostField>(std::move(field));
  }

  void save_counts(ByteSink& sink) const override { broken_.save(sink); }
  void restore_counts(ByteSource& source) override { broken_.restore(source); }
  void save(ByteSink& sink) const override { trainer_->save(sink); }
  void restore(ByteSource& source) override {
    trainer_->restore(source);
    whole_ = true;
  }

 private:
  static std::vector<PhotoStepResult> results_of(const FieldStepResult& result) {
    PhotoStepResult common{.loss = result.loss,
                           .l1 = result.l1,
                           .mse = result.mse,
                           .forward_ms = result.march_ms + result.forward_ms,
                           .backward_ms = result.backward_ms,
                           .update_ms = result.update_ms,
                           .total_ms = result.total_ms};
    std::vector<PhotoStepResult> results(result.photographs.size(), common);
    for (std::size_t i = 0; i < results.size(); ++i) {
      results[i].d_exposure = result.photographs[i].exposure;
    }
    results.front().d_background = result.d_background;
    return results;
  }

  const std::uint64_t seed_;
  /// Behind a subject that is cut out, each ray has another background, so that no part of the
  /// field can take its place.
  const bool is_cut_out_;
  std::unique_ptr<FieldTrainer> trainer_;
  FieldInTraining drawable_;
  std::array<float, 3> background_;  // for pictures
  FieldOptimizer optimizer_;
  InitialRemarks remarks_;
  BrokenParameters broken_;
  bool whole_ = true;
};

}  // namespace

std::unique_ptr<Learner> make_field_learner(const LearnerSite& site, const LoopOptions& loop,
                                            const FieldOptions& options) {
  if (loop.pose_opt) {
    throw Error("poses are not learned with a neural field", "--pose-opt",
                "leave it out, or train splats");
  }
  return std::make_unique<FieldLearner>(site, loop, options);
}

}  // namespace mote
