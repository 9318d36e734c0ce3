#pragma once

// The part of a learner that is the same for all neural fields: one field in the memory of a
// device.

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/log.h"
#include "core/memory_bytes.h"
#include "fields/optimizer_state.h"
#include "fields/proposals/proposal_layout.h"
#include "model/learner.h"
#include "train/fields/field_model.h"
#include "train/fields/field_plan.h"
#include "train/fields/field_start.h"

namespace mote {

/// `Trainer`: FieldTrainer or FieldFitter. `Drawn`: the FieldInTraining of one.
template <class Trainer, class Drawn = FieldInTraining>
class InMemoryLearner : public Learner {
 public:
  const ModelEntry& model() const override { return field_model(application_); }
  const InitialRemarks& initial_remarks() const override { return remarks_; }
  int detail_at(const RunPosition&) const override { return 0; }
  void change(const RunPosition&, const LearnRequest*) override {}
  void finish(const RunPosition&) override {}
  bool is_whole() const override { return trainer_->is_whole(); }
  Differentiable& drawable() override { return drawable_; }

  std::uint64_t count() const override { return trainer_->parameters(); }
  std::uint64_t most_count() const override { return trainer_->parameters(); }
  std::uint64_t broken_count() const override { return broken_count_; }
  LearnerMemory host_memory() const override {
    return {.state = trainer_->state_bytes(), .work = trainer_->step_bytes()};
  }
  std::unique_ptr<HostModel> copy() const override {
    NeuralField field = trainer_->field();
    field.background = background_;
    auto host = std::make_unique<HostField>(std::move(field));
    std::optional<OptimizerStates> states;
    if (saves_optimizer_) states = trainer_->optimizer_states();
    host->set_file_form(saves_halves_, std::move(states));
    return host;
  }

  void save_counts(ByteSink& sink) const override { sink.put(broken_count_); }
  void restore_counts(ByteSource& source) override { broken_count_ = source.get<std::uint64_t>(); }
  void save(ByteSink& sink) const override { trainer_->save(sink); }
  void restore(ByteSource& source) override { trainer_->restore(source); }

 protected:
  /// `field`: at the start; its optimisers continue if the options name a snapshot with their
  /// states. `background`: of pictures. `remarks`: about the start of training.
  InMemoryLearner(const NeuralField& field, const FieldOptions& options,
                  std::unique_ptr<Trainer> trainer, const SceneExtent& extent,
                  const std::array<float, 3>& background, InitialRemarks remarks)
      : trainer_(std::move(trainer)),
        background_(background),
        application_(field.application),
        saves_halves_(options.parameter_format == "half"),
        saves_optimizer_(options.optimizer_state),
        drawable_(
            *trainer_, extent,
            fmt::format("a neural field of {} parameters in training", trainer_->parameters())),
        remarks_(std::move(remarks)) {
    if (!options.init_field.empty()) continue_from(field, options);
  }

  /// Takes a step of the trainer. Logs the first step with gradients that are not finite.
  template <class Request>
  auto take_step(std::uint64_t step, const Request& request) {
    const auto result = trainer_->step(request);
    if (result.non_finite > 0 && broken_count_ == 0) {
      log_warning("step {}: {} parameters had a gradient that is not finite; they keep their value",
                  step, result.non_finite);
    }
    broken_count_ += result.non_finite;
    return result;
  }

  const std::unique_ptr<Trainer> trainer_;
  std::array<float, 3> background_;

 private:
  void continue_from(const NeuralField& field, const FieldOptions& options) {
    std::optional<OptimizerStates> states = start_states(options);
    if (!states) {
      remarks_.notes.push_back("it starts from " + options.init_field +
                               ", which has no state of an optimiser");
      return;
    }
    // Latents of other photographs are not taken over.
    if (field.latents.empty()) states->latents.clear();
    std::string note =
        fmt::format("it starts from {}, with the state of the optimiser after {} steps",
                    options.init_field, states->field.step);
    if (field.proposals && states->proposals.empty()) {
      note += "; it has none of the optimisers of its proposals, which begin anew";
    }
    if (!field.latents.empty() && states->latents.empty()) {
      note += "; it has none of the optimisers of its latents, which begin anew";
    }
    // Four floats, the number of updates and a part of a block's step, of each parameter; two
    // doubles of a latent, and its share of the steps.
    constexpr std::size_t kBytesOfParameter = 19, kBytesOfLatent = 24, kBytesBesides = 16384;
    MemoryBytes bytes;
    bytes.reserve(all_parameters(field) * kBytesOfParameter +
                  field.latents.size() * kBytesOfLatent + kBytesBesides);
    put_optimizer_states(*states, field, bytes);
    states.reset();  // is large
    trainer_->restore_optimizers(bytes);
    remarks_.notes.push_back(std::move(note));
  }

  const FieldApplication application_;
  const bool saves_halves_, saves_optimizer_;
  Drawn drawable_;
  InitialRemarks remarks_;
  std::uint64_t broken_count_ = 0;
};

}  // namespace mote
