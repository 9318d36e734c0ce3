#pragma once

#include <memory>
#include <optional>

#include "backend/splat_trainer.h"
#include "model/learner.h"
#include "train/splats/train_options.h"

namespace mote {

/// Splats as a model that a run trains.
class SplatPlan : public LearnerPlan {
 public:
  explicit SplatPlan(const TrainOptions& options) : options_(options) {}

  const ModelEntry& model() const override { return kSplatModel; }
  std::string_view method() const override { return options_.strategy; }
  bool is_antialiased() const override { return options_.antialiased; }
  std::unique_ptr<Learner> make(const LearnerSite& site) const override;
  std::vector<OptionText> kept_options() const override;
  std::unique_ptr<LearnerPlan> at_full_detail(std::optional<std::uint64_t> count) const override;
  std::uint64_t last_count(const Dataset& dataset) const override;
  std::optional<DeviceMemory> device_memory(const Backend& backend,
                                            const Dataset& dataset) const override;
  ModelMemory memory(const LearnerMemory& measured, std::uint64_t measured_count,
                     std::uint64_t count, bool on_device) const override;

 private:
  TrainOptions options_;
};

/// The request to a trainer of splats for the picture of `request`, with the defaults of a fit of a
/// view: all SH bands, and no learning rates.
StepRequest photo_request(const LearnRequest& request);

/// The splats of a learner that SplatPlan made, raw. CHECKs that they are splats.
SplatCloud splats_of(const Learner& learner);

}  // namespace mote
