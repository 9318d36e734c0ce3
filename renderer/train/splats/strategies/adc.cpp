// Adaptive density control (Kerbl et al. 2023), with the options of gsplat and AbsGS: the schedule.
// The changes are in splats/density/adc.h and splats/density/adc_edit.h.
#include "train/run/step_random.h"
#include "train/splats/strategy.h"

namespace mote {
namespace {

constexpr double kAdcUntil = 0.5;  // the published 15,000 of 30,000 steps
constexpr double kGradient = 2e-4, kAbsoluteGradient = 8e-4;
constexpr float kResetOpacity = 0.01f;

class Adc : public Strategy {
 public:
  explicit Adc(const TrainOptions& options)
      : densify_(options.densify), absolute_(options.absgrad) {}

  void prepare(const StrategyContext&, StepRequest&) const override {}

  StrategyReport after_step(const StrategyContext& context, SplatTrainer& trainer) const override {
    StrategyReport report;
    const RunPosition& position = context.position;
    const DensifyWindow window = densify_window(densify_, kAdcUntil, position);
    if (window.due(position)) densify(context, window, trainer, report);
    if (position.fraction < window.until && resets(context, window)) {
      trainer.limit_opacity(kResetOpacity);
      report.opacity_reset = true;
    }
    return report;
  }

 private:
  std::uint64_t reset_interval() const {
    return static_cast<std::uint64_t>(densify_.opacity_reset_every);
  }

  bool resets(const StrategyContext& context, const DensifyWindow& window) const {
    const std::uint64_t step = context.position.steps_done;
    return step % reset_interval() == 0 || (context.white_background && step == window.from);
  }

  void densify(const StrategyContext& context, const DensifyWindow& window, SplatTrainer& trainer,
               StrategyReport& report) const {
    const bool pruning_large = context.position.steps_done > reset_interval();
    AdcRules rules;
    rules.gradient = densify_.gradient > 0 ? densify_.gradient
                     : absolute_           ? kAbsoluteGradient
                                           : kGradient;
    rules.clone_scale = densify_.clone_scale * context.extent;
    rules.prune_opacity = densify_.prune_opacity;
    rules.prune_scale = pruning_large ? densify_.prune_scale * context.extent : 0;
    rules.prune_radius_px = pruning_large ? densify_.prune_radius_px : 0;
    rules.most = context.max_splats;
    if (context.target_splats > 0) {
      rules.by_rank_alone = true;
      rules.most = count_on_the_way(trainer.count(), context.target_splats,
                                    window.events_left(context.position));
    }
    const std::uint64_t seed =
        step_seed(context.seed, context.position.steps_done, StepUse::density);
    const AdcOutcome outcome = trainer.change(rules, context.broken, seed);
    report.added = outcome.cloned + outcome.split;
    report.removed = outcome.removed;
    report.edited = outcome.changes();
  }

  DensifyOptions densify_;
  bool absolute_;
};

}  // namespace

const StrategyEntry kAdcStrategy{
    .name = "adc",
    .summary = "adaptive density control: clone, split and prune by gradients (3DGS)",
    .init_opacity = 0.1,
    .init_scale = 1,
    .make = [](const TrainOptions& options) -> std::unique_ptr<Strategy> {
      return std::make_unique<Adc>(options);
    }};

}  // namespace mote
