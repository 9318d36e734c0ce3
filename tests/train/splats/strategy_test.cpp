// The rules of the strategies, and their limits on counts.
#include "train/splats/strategy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "splats/density/adc_edit.h"
#include "splats/density/mcmc_edit.h"
#include "support/fake_training.h"
#include "train/run/trainer.h"
#include "train/splats/splat_learner.h"
#include "train/splats/splat_limit.h"

namespace mote {
namespace {

float logit(double p) {
  return static_cast<float>(std::log(p / (1 - p)));
}

double opacity_of(const SplatGeometry& splat) {
  return 1 / (1 + std::exp(-double{splat.logit_opacity}));
}

SplatGeometry splat_of(double opacity, double scale, float x = 0) {
  const auto log_scale = static_cast<float>(std::log(scale));
  return {{x, 0, 0}, {log_scale, log_scale, log_scale}, {1, 0, 0, 0}, logit(opacity)};
}

/// The geometry after an edit.
std::vector<SplatGeometry> applied(const DensityEdit& edit, std::span<const SplatGeometry> before) {
  std::vector<SplatGeometry> after;
  for (const std::uint32_t source : edit.source) after.push_back(before[source]);
  for (const auto& change : edit.changes) after.at(change.splat) = change.geometry;
  return after;
}

/// Splats in a row with these mean gradients, each visible twice.
struct Row {
  std::vector<SplatGeometry> splats;
  DensityStatistics statistics;

  void add(const SplatGeometry& splat, double mean_gradient, float radius_px = 1) {
    splats.push_back(splat);
    statistics.gradient.push_back(static_cast<float>(2 * mean_gradient));
    statistics.seen.push_back(2);
    statistics.radius_px.push_back(radius_px);
  }
};

constexpr AdcRules kRules{.gradient = 2e-4, .clone_scale = 0.01, .most = 1000};

constexpr std::uint64_t kSeed = 5;

AdcEdit edited(const AdcRules& rules, const Row& row,
               const std::vector<std::uint32_t>& broken = {}) {
  return adc_edit(SplatKind::gaussian, rules, row.splats, row.statistics, broken, kSeed);
}

TEST(AdcRules, ClonesSmallAndSplitsLargeSplatsOfLargeGradient) {
  Row row;
  row.add(splat_of(0.5, 0.005, 0), 3e-4);
  row.add(splat_of(0.5, 0.05, 1), 3e-4);
  row.add(splat_of(0.5, 0.05, 2), 1e-4);
  row.add(splat_of(0.5, 0.05, 3), 3e-4);
  row.statistics.seen[3] = 0;
  const auto [edit, outcome] = edited(kRules, row);
  EXPECT_EQ(outcome.cloned, 1u);
  EXPECT_EQ(outcome.split, 1u);
  EXPECT_EQ(outcome.removed, 0u);
  EXPECT_EQ(edit.source, (std::vector<std::uint32_t>{0, 1, 2, 3, 0, 1}));
  EXPECT_EQ(edit.forget, (std::vector<std::uint8_t>{0, 1, 0, 0, 1, 1}));
  const std::vector<SplatGeometry> after = applied(edit, row.splats);
  EXPECT_EQ(after[4].mean[0], 0);
  for (const std::size_t child : {1u, 5u}) {
    EXPECT_NEAR(std::exp(after[child].log_scale[0]), 0.05 / 1.6, 1e-6);
    EXPECT_EQ(after[child].logit_opacity, row.splats[1].logit_opacity);
    EXPECT_LT(std::abs(after[child].mean[0] - 1), 0.3f);
  }
  EXPECT_NE(after[1].mean[0], after[5].mean[0]);
}

TEST(AdcRules, ChildrenOfASplitAreDrawnFromTheSplat) {
  // A splat that is long in x, turned by 90 degrees about y so that it is long in z.
  Row row;
  SplatGeometry splat = splat_of(0.5, 0.1);
  splat.log_scale[0] = std::log(2.0f);
  splat.rotation[0] = splat.rotation[2] = 0.7071f;
  for (int i = 0; i < 4000; ++i) row.add(splat, 1e-3);
  AdcRules rules = kRules;
  rules.most = 100000;
  const std::vector<SplatGeometry> after = applied(edited(rules, row).edit, row.splats);
  ASSERT_EQ(after.size(), 8000u);
  double sum[3] = {}, squares[3] = {};
  for (const SplatGeometry& child : after) {
    for (int k = 0; k < 3; ++k) {
      sum[k] += double{child.mean[k]};
      squares[k] += double{child.mean[k]} * double{child.mean[k]};
    }
  }
  const double expected[3] = {0.1, 0.1, 2};
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(std::sqrt(squares[k] / 8000), expected[k], 0.04 * expected[k]) << k;
    EXPECT_NEAR(sum[k] / 8000, 0, 0.05 * expected[k]) << k;
  }
}

TEST(AdcRules, RemovesFaintLargeAndBrokenSplats) {
  Row row;
  row.add(splat_of(0.004, 0.005), 1e-3);
  row.add(splat_of(0.5, 0.2), 0);
  row.add(splat_of(0.5, 0.005), 0, 50);
  row.add(splat_of(0.5, 0.005), 1e-3);
  row.add(splat_of(0.5, 0.005), 0);
  AdcRules rules = kRules;
  EXPECT_EQ(edited(rules, row).outcome.removed, 1u);
  rules.prune_scale = 0.1;
  rules.prune_radius_px = 20;
  const auto [edit, outcome] = edited(rules, row, {3});
  EXPECT_EQ(outcome.removed, 4u);
  EXPECT_EQ(outcome.cloned, 0u);
  EXPECT_EQ(edit.source, std::vector<std::uint32_t>{4});
}

TEST(AdcRules, DoesNotRemoveTheLastSplatsForBeingFaint) {
  Row row;
  row.add(splat_of(0.001, 0.005), 0);
  row.add(splat_of(0.001, 0.005), 0);
  EXPECT_FALSE(edited(kRules, row).outcome.changes());
  EXPECT_EQ(edited(kRules, row, {1}).edit.source, std::vector<std::uint32_t>{0});
}

TEST(AdcRules, StaysWithinTheCapByTakingTheLargestGradients) {
  Row row;
  for (int i = 0; i < 10; ++i) row.add(splat_of(0.5, 0.005), 3e-4 + 1e-5 * ((i * 7) % 10));
  AdcRules rules = kRules;
  rules.most = 13;
  const DensityEdit edit = edited(rules, row).edit;
  EXPECT_EQ(edit.source.size(), 13u);
  // i * 7 mod 10 is 9, 8 and 7 for i = 7, 4 and 1.
  EXPECT_EQ(std::set<std::uint32_t>(edit.source.begin() + 10, edit.source.end()),
            (std::set<std::uint32_t>{1, 4, 7}));
  rules.most = 5;
  EXPECT_FALSE(edited(rules, row).outcome.changes());
}

TEST(AdcRules, GrowthByRankAloneIgnoresTheGradientThreshold) {
  Row row;
  for (int i = 0; i < 10; ++i) row.add(splat_of(0.5, 0.005), 1e-7);
  AdcRules rules = kRules;
  rules.most = 17;
  EXPECT_FALSE(edited(rules, row).outcome.changes());
  rules.by_rank_alone = true;
  EXPECT_EQ(edited(rules, row).edit.source.size(), 17u);
}

/// Integral along a line of the blend of `copies` splats with this opacity and deviation.
double blended_integral(double opacity, double deviation, int copies) {
  double sum = 0;
  constexpr double kStep = 1e-3;
  for (double x = -12; x <= 12; x += kStep) {
    const double g = std::exp(-0.5 * x * x / (deviation * deviation));
    sum += (1 - std::pow(1 - opacity * g, copies)) * kStep;
  }
  return sum;
}

TEST(McmcRules, RelocatedSplatsTogetherLookLikeTheirSource) {
  for (const double opacity : {0.01, 0.3, 0.9, 0.999}) {
    for (const int copies : {1, 2, 3, 10, 51}) {
      const Relocated each = relocated(opacity, copies);
      EXPECT_NEAR(1 - std::pow(1 - each.opacity, copies), opacity, 1e-12);
      EXPECT_NEAR(blended_integral(each.opacity, each.scale_factor, copies),
                  blended_integral(opacity, 1, 1), 1e-6)
          << opacity << " by " << copies;
    }
  }
  EXPECT_EQ(relocated(0.7, 51).opacity, relocated(0.7, 400).opacity);
  EXPECT_EQ(relocated(0, 5).scale_factor, 1);
}

TEST(McmcRules, MovesDeadSplatsOntoLivingOnesAndClearsTheirMoments) {
  std::vector<SplatGeometry> splats{splat_of(0.004, 1, 0), splat_of(0.8, 1, 1), splat_of(0.5, 1, 2),
                                    splat_of(0.9, 1, 3)};
  const std::vector<std::uint32_t> broken{3};
  const auto [edit, outcome] =
      mcmc_edit(SplatKind::gaussian, {.dead_opacity = 0.005, .count = 0}, splats, broken, kSeed);
  EXPECT_EQ(outcome.relocated, 2u);
  EXPECT_EQ(outcome.added, 0u);
  ASSERT_EQ(edit.source.size(), 4u);
  const std::vector<SplatGeometry> after = applied(edit, splats);
  for (const std::size_t dead : {0u, 3u}) {
    const std::uint32_t home = edit.source[dead];
    EXPECT_TRUE(home == 1 || home == 2);
    EXPECT_EQ(after[dead].logit_opacity, after[home].logit_opacity);
    EXPECT_EQ(after[dead].log_scale[1], after[home].log_scale[1]);
    EXPECT_LT(after[home].logit_opacity, splats[home].logit_opacity);
    EXPECT_EQ(edit.forget[dead], 1);
    EXPECT_EQ(edit.forget[home], 1);
  }
}

TEST(McmcRules, GrowsInProportionToOpacityWithoutChangingThePicture) {
  std::vector<SplatGeometry> splats;
  for (int i = 0; i < 200; ++i) {
    splats.push_back(splat_of(i < 100 ? 0.9 : 0.1, 0.5, static_cast<float>(i)));
  }
  const auto [edit, outcome] = mcmc_edit(SplatKind::gaussian, {.count = 1200}, splats, {}, kSeed);
  EXPECT_EQ(outcome.added, 1000u);
  ASSERT_EQ(edit.source.size(), 1200u);
  const std::vector<SplatGeometry> after = applied(edit, splats);
  std::vector<double> transmittance(200, 1);
  std::size_t to_opaque = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const std::uint32_t home = edit.source[i];
    transmittance[home] *= 1 - opacity_of(after[i]);
    to_opaque += i >= 200 && home < 100;
  }
  for (std::size_t i = 0; i < 200; ++i) {
    EXPECT_NEAR(1 - transmittance[i], opacity_of(splats[i]), 1e-4);
  }
  EXPECT_NEAR(static_cast<double>(to_opaque), 900, 50);
}

TEST(McmcRules, SplitsFullyOpaqueSplatsWithoutInfinities) {
  std::vector<SplatGeometry> splats{splat_of(0.001, 1), splat_of(0.5, 1)};
  splats[1].logit_opacity = 200;
  for (const SplatGeometry& splat :
       applied(mcmc_edit(SplatKind::gaussian, {.count = 100}, splats, {}, kSeed).edit, splats)) {
    EXPECT_TRUE(std::isfinite(splat.logit_opacity));
    EXPECT_TRUE(std::isfinite(splat.log_scale[0]));
  }
}

TEST(McmcRules, KeepsASetWithoutLivingSplats) {
  const std::vector<SplatGeometry> splats(5, splat_of(0.001, 1));
  EXPECT_FALSE(mcmc_edit(SplatKind::gaussian, {.count = 10}, splats, {}, kSeed).outcome.changes());
  const std::vector<std::uint32_t> broken{2};
  EXPECT_EQ(mcmc_edit(SplatKind::gaussian, {.count = 10}, splats, broken, kSeed).edit.source,
            (std::vector<std::uint32_t>{0, 1, 3, 4}));
  EXPECT_FALSE(mcmc_edit(SplatKind::gaussian, {.count = 10}, {}, {}, kSeed).outcome.changes());
}

TEST(McmcRules, RelocatesSplatsWithNanOpacity) {
  std::vector<SplatGeometry> splats{splat_of(0.5, 1), splat_of(0.5, 1)};
  splats[1].logit_opacity = std::numeric_limits<float>::quiet_NaN();
  const auto [edit, outcome] = mcmc_edit(SplatKind::gaussian, {.count = 0}, splats, {}, kSeed);
  EXPECT_EQ(outcome.relocated, 1u);
  EXPECT_EQ(edit.source, (std::vector<std::uint32_t>{0, 0}));
}

TEST(McmcRules, TheLotteryAssignsEveryTicketToItsHolder) {
  const std::uint64_t sums[] = {0, 3, 3, 4, 9};
  std::array<int, 5> wins{};
  for (std::uint64_t ticket = 0; ticket < 9; ++ticket) {
    // The smallest bits for this ticket of 9.
    const std::uint64_t bits = ticket == 0 ? 0 : ~std::uint64_t{0} / 9 * ticket + ticket;
    ++wins[lottery_winner(sums, 5, bits)];
  }
  EXPECT_EQ(wins, (std::array<int, 5>{0, 3, 0, 1, 5}));
  EXPECT_EQ(lottery_winner(sums, 5, ~std::uint64_t{0}), 4u);
}

std::vector<std::uint64_t> counts_of_run(const TrainOptions& options) {
  const Dataset dataset = ring_dataset(9, 300);
  FakeBackend backend;
  FakePhotos photos(dataset);
  Trainer trainer(backend, dataset, photos, options, SplatPlan(options), 42);
  std::vector<std::uint64_t> counts;
  while (!trainer.done()) counts.push_back(trainer.step().count);
  return counts;
}

TEST(Strategies, ReachTheTargetExactlyOnAStraightLine) {
  for (const StrategyEntry* strategy : strategies()) {
    for (const int steps : {700, 2000, 7001}) {
      for (const int target : {200, 300, 1234}) {
        TrainOptions options;
        options.strategy = strategy->name;
        options.steps = steps;
        options.target_splats = target;
        const std::vector<std::uint64_t> counts = counts_of_run(options);
        EXPECT_EQ(counts.back(), static_cast<std::uint64_t>(target)) << strategy->name << steps;
        EXPECT_TRUE(std::is_sorted(counts.begin(), counts.end()));
        if (target == 1234) {
          EXPECT_EQ(counts[std::min<std::size_t>(static_cast<std::size_t>(steps) / 10, 500) - 1],
                    300u);
          EXPECT_GT(counts[static_cast<std::size_t>(steps) / 3], 400u);
          EXPECT_LT(counts[static_cast<std::size_t>(steps) / 3], 1234u);
        }
      }
    }
  }
}

TEST(Strategies, NeverExceedTheCap) {
  for (const StrategyEntry* strategy : strategies()) {
    for (const int cap : {100, 300, 431}) {
      TrainOptions options;
      options.strategy = strategy->name;
      options.steps = 3000;
      options.max_splats = cap;
      const std::vector<std::uint64_t> counts = counts_of_run(options);
      EXPECT_LE(*std::max_element(counts.begin(), counts.end()), static_cast<std::uint64_t>(cap));
      const int last = strategy->name == "relocation" ? std::min(cap, 300) : cap;
      EXPECT_EQ(counts.back(), static_cast<std::uint64_t>(last)) << strategy->name;
    }
  }
}

TEST(Strategies, AreLimitedByThePhotographsByDefault) {
  for (const StrategyEntry* strategy : strategies()) {
    if (strategy->name == "relocation") continue;  // the number stays
    TrainOptions options;
    options.strategy = strategy->name;
    options.steps = 10000;
    const std::size_t limit = splat_limit(ring_dataset(9, 300), options);
    EXPECT_EQ(counts_of_run(options).back(), limit) << strategy->name;
    options.max_splats = static_cast<int>(limit) + 200;
    EXPECT_EQ(counts_of_run(options).back(), limit + 200) << strategy->name;
  }
}

TEST(Strategies, McmcGrowsByAFractionEachTime) {
  TrainOptions options;
  options.strategy = "mcmc";
  options.steps = 30000;
  options.max_splats = 400;
  const std::vector<std::uint64_t> counts = counts_of_run(options);
  EXPECT_EQ(counts[599], 300u);  // of step 600; the set grows after it
  EXPECT_EQ(counts[600], 315u);
  EXPECT_EQ(counts[700], 330u);
  EXPECT_EQ(counts.back(), 400u);
}

TEST(Strategies, McmcGrowsEightfoldEvenInAShortRun) {
  for (const int steps : {500, 1000, 2000, 4000}) {
    TrainOptions options;
    options.strategy = "mcmc";
    options.steps = steps;
    EXPECT_NEAR(static_cast<double>(counts_of_run(options).back()), 8 * 300, 60) << steps;
    options.densify.growth = 0.01;
    EXPECT_LT(counts_of_run(options).back(), 450u) << steps;
  }
}

TEST(Strategies, AdcResetsOpacitiesWithinItsWindow) {
  const auto resets = [](const std::string& background) {
    TrainOptions options;
    options.strategy = "adc";
    options.steps = 14000;
    options.max_splats = 400;
    options.background = background;
    const Dataset dataset = ring_dataset(9, 300);
    FakeBackend backend;
    FakePhotos photos(dataset);
    Trainer trainer(backend, dataset, photos, options, SplatPlan(options), 42);
    std::vector<std::uint64_t> steps;
    while (!trainer.done()) {
      const std::size_t before = backend.record.opacity_limits.size();
      const TrainReport report = trainer.step();
      if (backend.record.opacity_limits.size() > before) steps.push_back(report.step);
    }
    for (const float limit : backend.record.opacity_limits) EXPECT_EQ(limit, 0.01f);
    return steps;
  };
  EXPECT_EQ(resets("black"), (std::vector<std::uint64_t>{3001, 6001}));
  EXPECT_EQ(resets("white"), (std::vector<std::uint64_t>{501, 3001, 6001}));
}

}  // namespace
}  // namespace mote
