#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "backend/splat_trainer.h"
#include "train/splats/schedules.h"
#include "train/splats/train_options.h"

namespace mote {

/// What a strategy knows of the run.
struct StrategyContext {
  RunPosition position;                             // after the step just done, or before the next
  double extent = 1;                                // of the scene, world units
  std::uint64_t max_splats = 0, target_splats = 0;  // target 0: none
  bool white_background = false;
  float mean_rate = 0;  // learning rate of positions, extent included
  std::uint64_t seed = 0;
  /// Splats, in the trainer's present order and without repetition, that must go.
  std::span<const std::uint32_t> broken;
};

/// What a strategy did between two steps.
struct StrategyReport {
  bool edited = false;  // the trainer's order is another one, `broken` is dealt with
  std::uint64_t added = 0, removed = 0, relocated = 0;
  bool opacity_reset = false;
};

/// Decides when and how the set of splats changes. One file each. Has no state besides its options:
/// what it decides follows from the context and the trainer.
class Strategy {
 public:
  virtual ~Strategy() = default;
  /// What the step about to run needs of the strategy: loss regularisers, noise.
  virtual void prepare(const StrategyContext& context, StepRequest& request) const = 0;
  /// Called between every two steps, with the position after the first; changes the trainer's
  /// splats when it is time: by rules that backends know (SplatTrainer::change()), or by its own,
  /// which decide on the host from geometry() and statistics() and end in edit().
  virtual StrategyReport after_step(const StrategyContext& context,
                                    SplatTrainer& trainer) const = 0;
};

struct StrategyEntry {
  std::string_view name, summary;
  double init_opacity, init_scale;  // of first splats; the scale in distances to neighbours
  std::unique_ptr<Strategy> (*make)(const TrainOptions& options);
};

extern const StrategyEntry kAdcStrategy, kMcmcStrategy;

/// All strategies by name.
std::span<const StrategyEntry* const> strategies();

/// Throws UsageError where there is none of that name.
const StrategyEntry& find_strategy(std::string_view name);

}  // namespace mote
