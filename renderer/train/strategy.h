#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "backend/splat_trainer.h"
#include "core/random.h"
#include "train/train_options.h"

namespace mote {

/// What a strategy knows of the run.
struct StrategyContext {
  std::uint64_t step = 0, steps_total = 0;          // the step just done
  double extent = 1;                                // of the scene, world units
  std::uint64_t max_splats = 0, target_splats = 0;  // target 0: none
  bool white_background = false;
  float mean_rate = 0;
};

/// Decides when and how the set of splats changes. One file each.
class Strategy {
 public:
  virtual ~Strategy() = default;
  /// What the step about to run needs of the strategy: loss regularisers, noise.
  virtual void prepare(const StrategyContext& context, StepRequest& request) = 0;
  /// Called after every step; edits the trainer when it is time.
  virtual void after_step(const StrategyContext& context, SplatTrainer& trainer,
                          Random& random) = 0;
  virtual void save(ByteSink& sink) const = 0;
  virtual void restore(ByteSource& source) = 0;
};

struct StrategyEntry {
  std::string_view name, summary;
  std::unique_ptr<Strategy> (*make)(const TrainOptions& options);
};

/// All strategies by name.
std::span<const StrategyEntry> strategies();

}  // namespace mote
