#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "backend/splat_trainer.h"
#include "model/learner.h"
#include "splats/density/relocation_edit.h"
#include "train/splats/schedules.h"
#include "train/splats/train_options.h"

namespace mote {

/// The state of the run that a strategy uses.
struct StrategyContext {
  RunPosition position;                             // after the last step, or before the next one
  double extent = 1;                                // scene extent, world units
  std::uint64_t max_splats = 0, target_splats = 0;  // target 0: none
  bool white_background = false;
  float mean_rate = 0;    // learning rate of positions, including the scene extent
  SceneTimes times = {};  // of a scene that moves
  /// Splats that are not in memory, beside those of the trainer, and the upper bound of the
  /// trainer's; 0: there are none, and no bound.
  std::uint64_t resting = 0, most_in_memory = 0;
  LifeBounds lives = {};
  std::span<const SightPoint> cameras = {};  // some of the training cameras, of the same scene
  /// The photograph of the step after a change, at whose time all splats that are seen are in
  /// memory; null: there is none.
  const LearnRequest* next = nullptr;
  double first_sigma_s = 0;  // standard deviation of first lives
  std::uint64_t seed = 0;
  /// Splats to be removed, in the trainer's current order, without duplicates.
  std::span<const std::uint32_t> broken;
};

/// The result of a strategy between two steps.
struct StrategyReport {
  bool edited = false;  // the trainer's order has changed, and `broken` has been handled
  std::uint64_t added = 0, removed = 0, relocated = 0;
  bool opacity_reset = false;
};

/// Decides when and how the set of splats changes. There is one file per strategy. A strategy
/// stores only its options; its decisions depend on the context and the trainer.
class Strategy {
 public:
  virtual ~Strategy() = default;
  /// Sets the strategy's part of the next step: loss regularisers and noise.
  virtual void prepare(const StrategyContext& context, StepRequest& request) const = 0;
  /// Called between two steps, with the position after the first. If a change is due, changes the
  /// trainer's splats: by rules that backends implement (SplatTrainer::change()), or by other rules
  /// on the host, which use geometry() and statistics() and end in edit().
  virtual StrategyReport after_step(const StrategyContext& context,
                                    SplatTrainer& trainer) const = 0;
};

struct StrategyEntry {
  std::string_view name, summary;
  /// Opacity and scale of the first splats; the scale is relative to the distances between
  /// neighbours.
  double init_opacity, init_scale;
  std::unique_ptr<Strategy> (*make)(const TrainOptions& options);
};

extern const StrategyEntry kAdcStrategy, kMcmcStrategy, kRelocationStrategy;

/// All strategies by name.
std::span<const StrategyEntry* const> strategies();

/// The strategy with a name. Throws UsageError if the name is unknown.
const StrategyEntry& find_strategy(std::string_view name);

}  // namespace mote
