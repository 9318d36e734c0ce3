// Splats that move (FreeTimeGS, Wang et al. 2025): the schedule, and the settings of each step. The
// changes are in splats/density/relocation_edit.h. Opacities are never reset.
#include <algorithm>

#include "math/counter_random.h"
#include "train/run/step_random.h"
#include "train/splats/births.h"
#include "train/splats/strategy.h"

namespace mote {
namespace {

constexpr double kRelocationUntil = 0.8;
/// Fraction of the run before splats may become static: their first velocities are unknown.
constexpr double kStaticFrom = 0.3;

class Relocation : public Strategy {
 public:
  explicit Relocation(const TrainOptions& options)
      : densify_(options.densify),
        antialiased_(options.antialiased),
        birth_share_(has_births(options) ? options.densify.birth_share : 0) {}

  void prepare(const StrategyContext&, StepRequest& request) const override {
    request.loss.opacity_regularizer = static_cast<float>(densify_.opacity_regularizer);
    request.loss.scale_regularizer = static_cast<float>(densify_.scale_regularizer);
  }

  StrategyReport after_step(const StrategyContext& context, SplatTrainer& trainer) const override {
    StrategyReport report;
    const RunPosition& position = context.position;
    DensifyWindow window = densify_window(densify_, kRelocationUntil, position);
    window.every = changes_of_part(window.every, context.resting, trainer.count());
    // Lives keep their bounds to the end of the run.
    const bool is_late = context.resting > 0 && position.fraction >= window.until;
    if (!window.due(position) && !(is_late && position.steps_done % window.every == 0)) {
      return report;
    }
    RelocationRules rules;
    rules.dead_opacity = densify_.prune_opacity;
    if (is_late) rules.most_share = 0;
    if (context.target_splats > 0 && !is_late) {
      const std::uint64_t all = count_on_the_way(
          trainer.count() + context.resting, context.target_splats, window.events_left(position));
      rules.count = all - std::min(all, context.resting);
    }
    if (context.most_in_memory > 0) rules.count = std::min(rules.count, context.most_in_memory);
    rules.lives = context.lives;
    rules.scene_s = context.times.duration_s;
    if (context.times.frames_per_second > 0) {
      rules.least_sigma_s = 0.5 / context.times.frames_per_second;
    }
    if (position.fraction >= kStaticFrom) rules.duration_s = context.times.duration_s;
    rules.cameras = context.cameras;
    const std::uint64_t seed = step_seed(context.seed, position.steps_done, StepUse::density);
    const RelocationEdit result = relocated(rules, context, trainer, seed);
    if (result.outcome.changes()) {
      trainer.edit(result.edit);
    } else {
      trainer.clear_statistics();
    }
    report.relocated = result.outcome.relocated;
    report.added = result.outcome.added;
    report.removed = result.outcome.removed;
    report.edited = result.outcome.changes();
    return report;
  }

 private:
  RelocationEdit relocated(RelocationRules rules, const StrategyContext& context,
                           SplatTrainer& trainer, std::uint64_t seed) const {
    const std::vector<SplatGeometry> geometry = trainer.geometry();
    const std::vector<MotionValues> motions = trainer.motions();
    const DensityStatistics statistics = trainer.statistics();
    const SplatsToRelocate splats{.geometry = geometry,
                                  .motions = motions,
                                  .statistics = statistics,
                                  .broken = context.broken};
    const std::vector<SplatBirth> births = births_of(rules, context, splats, trainer);
    rules.births = births;
    return relocation_edit(rules, splats, seed);
  }

  std::vector<SplatBirth> births_of(const RelocationRules& rules, const StrategyContext& context,
                                    const SplatsToRelocate& splats, SplatTrainer& trainer) const {
    const BirthStyle style{.sigma_s = std::max(context.first_sigma_s, rules.least_sigma_s)};
    const bool can_be = birth_share_ > 0 && context.next != nullptr && style.sigma_s > 0;
    if (!can_be || rules.most_share == 0) return {};
    const std::uint64_t seed =
        step_seed(context.seed, context.position.steps_done, StepUse::births);
    // Rounded up or down at random, so that a small set has its share too.
    const double rounding = static_cast<double>(random_bits(seed, 0) >> 11) * 0x1p-53;
    const auto count = static_cast<std::size_t>(
        birth_share_ * static_cast<double>(count_to_relocate(rules, splats)) + rounding);
    return births_from(*context.next, style, splats, trainer, antialiased_, count,
                       random_bits(seed, 1));
  }

  DensifyOptions densify_;
  bool antialiased_;
  double birth_share_;  // of the splats that move to other places
};

}  // namespace

const StrategyEntry kRelocationStrategy{
    .name = "relocation",
    .summary =
        "splats that move: faint splats become copies of opaque ones and of those with "
        "large gradients",
    .init_opacity = 0.3,
    .init_scale = 0.7,
    .make = [](const TrainOptions& options) -> std::unique_ptr<Strategy> {
      return std::make_unique<Relocation>(options);
    }};

}  // namespace mote
