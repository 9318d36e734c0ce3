// 3DGS-MCMC (Kheradmand et al. 2024): the schedule, and the settings of each step. The changes are
// in splats/density/mcmc.h and splats/density/mcmc_edit.h.
#include <algorithm>
#include <cmath>

#include "train/run/step_random.h"
#include "train/splats/strategy.h"

namespace mote {
namespace {

constexpr double kMcmcUntil = 25000.0 / 30000.0;
constexpr double kPublishedGrowth = 0.05;
/// Minimum growth from the first splats in runs that are too short for the published growth.
constexpr double kLeastGrowth = 8;

class Mcmc : public Strategy {
 public:
  explicit Mcmc(const TrainOptions& options) : densify_(options.densify) {}

  void prepare(const StrategyContext& context, StepRequest& request) const override {
    request.loss.opacity_regularizer = static_cast<float>(densify_.opacity_regularizer);
    request.loss.scale_regularizer = static_cast<float>(densify_.scale_regularizer);
    request.noise = static_cast<float>(densify_.noise) * context.mean_rate;
  }

  StrategyReport after_step(const StrategyContext& context, SplatTrainer& trainer) const override {
    StrategyReport report;
    const DensifyWindow window = densify_window(densify_, kMcmcUntil, context.position);
    if (!window.due(context.position)) return report;
    McmcRules rules;
    rules.dead_opacity = densify_.prune_opacity;
    rules.count = count_after(context, window, trainer.count());
    const std::uint64_t seed =
        step_seed(context.seed, context.position.steps_done, StepUse::density);
    const McmcOutcome outcome = trainer.change(rules, context.broken, seed);
    report.relocated = outcome.relocated;
    report.added = outcome.added;
    report.removed = outcome.removed;
    report.edited = outcome.changes();
    return report;
  }

 private:
  std::uint64_t count_after(const StrategyContext& context, const DensifyWindow& window,
                            std::uint64_t count) const {
    if (context.target_splats > 0) {
      return count_on_the_way(count, context.target_splats, window.events_left(context.position));
    }
    double growth = densify_.growth;
    if (growth == 0) {
      const double events = window.events_in_all(context.position);
      growth = std::max(kPublishedGrowth, std::pow(kLeastGrowth, 1 / events) - 1);
    }
    const double grown = std::floor(static_cast<double>(count) * (1 + growth));
    return std::min(context.max_splats, static_cast<std::uint64_t>(grown));
  }

  DensifyOptions densify_;
};

}  // namespace

const StrategyEntry kMcmcStrategy{
    .name = "mcmc",
    .summary = "Markov chain Monte Carlo: noise, and faint splats moved to opaque ones",
    // The published values are 0.5 and 0.1. With them, it takes about 7,000 steps to reach the
    // quality of the values used here.
    .init_opacity = 0.1,
    .init_scale = 0.7,
    .make = [](const TrainOptions& options) -> std::unique_ptr<Strategy> {
      return std::make_unique<Mcmc>(options);
    }};

}  // namespace mote
