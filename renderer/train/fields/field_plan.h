#pragma once

#include <memory>
#include <optional>

#include "fields/neural_field.h"
#include "model/learner.h"
#include "train/fields/field_options.h"
#include "train/run/run_options.h"

namespace mote {

/// The row of an application in the table of models.
const ModelEntry& field_model(FieldApplication application);

/// A neural field as a model that a run trains.
class FieldPlan : public LearnerPlan {
 public:
  FieldPlan(FieldApplication application, const LoopOptions& loop, const FieldOptions& options)
      : application_(application), loop_(loop), options_(options) {}

  const ModelEntry& model() const override { return field_model(application_); }
  std::string_view method() const override { return model().name; }
  bool is_antialiased() const override { return false; }
  std::unique_ptr<Learner> make(const LearnerSite& site) const override;
  std::vector<OptionText> kept_options() const override;
  std::unique_ptr<LearnerPlan> at_full_detail(std::optional<std::uint64_t> count) const override;
  std::uint64_t last_count(const Dataset& dataset) const override;
  std::optional<MemoryEstimate> device_memory(const Backend& backend, const Dataset& dataset,
                                              bool velocities) const override;
  ModelMemory memory(const LearnerMemory& measured, std::uint64_t measured_count,
                     std::uint64_t count, bool on_device) const override;

 private:
  NeuralField untrained(const Dataset& dataset) const;
  NeuralField completed(const Dataset& dataset) const;

  FieldApplication application_;
  LoopOptions loop_;
  FieldOptions options_;
};

/// The learning rate of the step after `position`. Published schedules are for runs of
/// kPublishedSteps steps: shorter runs, and those under a time budget, take the same shares of
/// them. But where the rate is constant for the first half or more, it is so for kConstantShare of
/// a shorter run, which still learns much when a long one only refines.
double field_learning_rate(const FieldOptimizer& optimizer, const RunPosition& position);
inline constexpr std::uint64_t kPublishedSteps = 35000;
inline constexpr double kConstantShare = 0.85;

}  // namespace mote
