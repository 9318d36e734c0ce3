#pragma once

#include <memory>
#include <optional>

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
  std::optional<MemoryEstimate> device_memory(const Backend& backend, const Dataset& dataset,
                                              bool velocities) const override;
  ModelMemory memory(const LearnerMemory& measured, std::uint64_t measured_count,
                     std::uint64_t count, bool on_device) const override;

 private:
  TrainOptions options_;
};

}  // namespace mote
