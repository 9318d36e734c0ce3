// A field with one network in training: a signed distance field, an image or a volume.
#include "train/fields/fitting_learner.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "fields/initial_parameters.h"
#include "io/fields/field_snapshot.h"
#include "train/fields/field_model.h"
#include "train/fields/field_plan.h"
#include "train/fields/in_memory_learner.h"
#include "train/fields/nerf_gradients.h"
#include "train/run/background.h"
#include "train/run/step_random.h"

namespace mote {
namespace {

double eikonal_weight(const FieldTarget& target, const FieldOptions& options) {
  return target.application() == FieldApplication::sdf ? options.eikonal : 0;
}

NeuralField initial_field(const FieldTarget& target, const FieldOptions& options,
                          std::uint64_t seed) {
  return with_config_places(options, [&] {
    NeuralField field = target.untrained(chosen_config(options, target.application()));
    if (eikonal_weight(target, options) > 0) check_slopes(*field.config.encoding, "--eikonal");
    field.config.optimizer->repeatable = options.grid_sums == "exact";
    if (options.init_field.empty()) {
      field.parameters = initial_parameters(target.application(), field.config, seed);
    } else {
      start_from_snapshot(options, 0, field);
    }
    return field;
  });
}

/// Warnings of parts of --network that only a NeRF has.
std::vector<std::string> idle_part_warnings(const FieldOptions& options,
                                            FieldApplication application) {
  if (options.network.empty()) return {};
  const FieldConfig config = chosen_config(options, application);
  std::vector<std::string> warnings;
  const auto warn = [&](bool has, const char* key) {
    if (!has) return;
    warnings.push_back(
        fmt::format("{} of {} has no effect: only a NeRF has it", key, options.network));
  };
  warn(config.direction_encoding.has_value(), "dir_encoding");
  warn(config.color_network.has_value(), "rgb_network");
  return warnings;
}

class FittingLearner : public InMemoryLearner<FieldFitter> {
 public:
  FittingLearner(const LearnerSite& site, const FieldTarget& target, const LoopOptions& loop,
                 const FieldOptions& options)
      : FittingLearner(site, target, loop, options, initial_field(target, options, site.seed)) {}

  /// The densities of a volume's cells stay, and are copied for its file.
  LearnerMemory host_memory() const override {
    LearnerMemory memory = InMemoryLearner::host_memory();
    memory.view = trainer_->evaluation_bytes(target_.scored_at_once());
    memory.state += occupancy_cells_ * sizeof(float);
    memory.saved = occupancy_cells_ * (sizeof(float) + kSnapshotCopies * sizeof(std::uint16_t));
    return memory;
  }

  std::vector<PhotoStepResult> step(std::span<const LearnRequest>) override {
    CHECK(false);
    return {};
  }

  PhotoStepResult step_on_target(const RunPosition& position) override {
    const std::uint64_t step = position.steps_done + 1;
    const TargetDraw draw{.seed = step_seed(seed_, step, StepUse::noise)};
    const FieldFitRequest request{
        .count = batch_,
        .fill = [&](const FieldSamples& samples) { target_.fill(draw, samples); },
        .learning_rate = lr_factor_ * field_learning_rate(*config_.optimizer, position),
        .eikonal = eikonal_};
    const FieldFitResult result = take_step(step, request);
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
    return target_.score({.field = *trainer_,
                          .config = config_,
                          .pictures = scoring.pictures,
                          .progress = scoring.progress,
                          .superseded = scoring.superseded,
                          .reference = scoring.reference,
                          .keeps_reference = true});
  }

 private:
  FittingLearner(const LearnerSite& site, const FieldTarget& target, const LoopOptions& loop,
                 const FieldOptions& options, const NeuralField& field)
      : InMemoryLearner(field, options, site.backend.make_field_fitter(field), field_extent(field),
                        Background(loop.background, site.seed).shown(),
                        {.notes = {field_description(field)},
                         .warnings = idle_part_warnings(options, target.application())}),
        target_(target),
        seed_(site.seed),
        batch_(samples_per_step(options, target.application())),
        eikonal_(eikonal_weight(target, options)),
        lr_factor_(options.lr_factor),
        occupancy_cells_(field.occupancy.values.size()),
        config_(field.config) {}

  const FieldTarget& target_;
  const std::uint64_t seed_;
  const std::size_t batch_;
  const double eikonal_, lr_factor_;
  const std::size_t occupancy_cells_;  // of a volume
  const FieldConfig config_;
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
