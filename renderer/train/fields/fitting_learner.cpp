// A field with one network in training: a signed distance field, an image or a volume.
#include "train/fields/fitting_learner.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/error.h"
#include "fields/initial_parameters.h"
#include "train/fields/broken_parameters.h"
#include "train/fields/field_model.h"
#include "train/fields/field_plan.h"
#include "train/run/background.h"
#include "train/run/step_random.h"

namespace mote {
namespace {

NeuralField initial_field(const FieldTarget& target, const FieldOptions& options,
                          std::uint64_t seed) {
  NeuralField field = target.untrained(chosen_config(options, target.application()));
  field.parameters = initial_parameters(target.application(), field.config, seed);
  return field;
}

class FittingLearner : public Learner {
 public:
  FittingLearner(const LearnerSite& site, const FieldTarget& target, const LoopOptions& loop,
                 const FieldOptions& options)
      : target_(target),
        seed_(site.seed),
        batch_(static_cast<std::size_t>(options.batch)),
        background_(Background(loop.background, site.seed).shown()) {
    NeuralField field = initial_field(target, options, site.seed);
    config_ = field.config;
    remarks_.notes.push_back(field_description(field));
    const SceneExtent extent = field_extent(field);
    fitter_ = site.backend.make_field_fitter(std::move(field));
    drawable_.emplace(
        *fitter_, extent,
        fmt::format("a neural field of {} parameters in training", fitter_->parameters()));
  }

  const ModelEntry& model() const override { return field_model(target_.application()); }
  const InitialRemarks& initial_remarks() const override { return remarks_; }
  int detail_at(const RunPosition&) const override { return 0; }
  void change(const RunPosition&) override {}

  std::vector<PhotoStepResult> step(std::span<const LearnRequest>) override {
    CHECK(false);
    return {};
  }

  PhotoStepResult step_on_target(const RunPosition& position) override {
    const std::uint64_t step = position.steps_done + 1;
    const TargetDraw draw{.seed = step_seed(seed_, step, StepUse::noise)};
    whole_ = false;
    const FieldFitResult result =
        fitter_->step({.count = batch_,
                       .fill = [&](const FieldSamples& samples) { target_.fill(draw, samples); },
                       .learning_rate = field_learning_rate(*config_.optimizer, position)});
    whole_ = true;
    broken_.note(step, result.non_finite);
    // Errors of distances are no measure of a picture.
    const bool is_picture = target_.application() == FieldApplication::image;
    return {.loss = result.loss,
            .l1 = result.l1,
            .mse = is_picture ? result.mse : std::nan(""),
            .project_ms = result.sample_ms,
            .forward_ms = result.forward_ms,
            .backward_ms = result.backward_ms,
            .update_ms = result.update_ms,
            .total_ms = result.total_ms};
  }

  std::vector<TargetScore> score_on_target(const TargetScoring& scoring) override {
    return target_.score({.field = *fitter_,
                          .config = config_,
                          .pictures = scoring.pictures,
                          .progress = scoring.progress});
  }

  void finish(const RunPosition&) override {}
  bool is_whole() const override { return whole_; }
  Differentiable& drawable() override { return *drawable_; }

  std::uint64_t count() const override { return fitter_->parameters(); }
  std::uint64_t most_count() const override { return fitter_->parameters(); }
  std::uint64_t broken_count() const override { return broken_.count(); }
  LearnerMemory host_memory() const override {
    return {.state = fitter_->state_bytes(), .work = fitter_->step_bytes()};
  }
  std::unique_ptr<HostModel> copy() const override {
    NeuralField field = fitter_->field();
    field.background = background_;
    return std::make_unique<HostField>(std::move(field));
  }

  void save_counts(ByteSink& sink) const override { broken_.save(sink); }
  void restore_counts(ByteSource& source) override { broken_.restore(source); }
  void save(ByteSink& sink) const override { fitter_->save(sink); }
  void restore(ByteSource& source) override {
    fitter_->restore(source);
    whole_ = true;
  }

 private:
  const FieldTarget& target_;
  const std::uint64_t seed_;
  const std::size_t batch_;
  const std::array<float, 3> background_;  // for pictures
  std::unique_ptr<FieldFitter> fitter_;
  std::optional<FieldInTraining> drawable_;
  FieldConfig config_;
  InitialRemarks remarks_;
  BrokenParameters broken_;
  bool whole_ = true;
};

}  // namespace

const FieldTarget& field_target(const Dataset& dataset, FieldApplication application) {
  const auto* target = dynamic_cast<const FieldTarget*>(dataset.target.get());
  if (target != nullptr && target->application() == application) return *target;
  const std::string_view name = field_model(application).name;
  throw Error(fmt::format("is nothing that --model {} is trained on", name), dataset.source,
              "leave --model out, or see mote train --help for what each model is trained on");
}

std::unique_ptr<Learner> make_fitting_learner(const LearnerSite& site, FieldApplication application,
                                              const LoopOptions& loop,
                                              const FieldOptions& options) {
  return std::make_unique<FittingLearner>(site, field_target(site.dataset, application), loop,
                                          options);
}

}  // namespace mote
