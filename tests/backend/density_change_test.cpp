// Changes of the set of splats on each device that the test program is linked with: from equal
// numbers a device makes the same decisions as the rules on the host, in the same order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "backend/splat_trainer.h"
#include "backend/train_snapshot.h"
#include "devices/devices.h"
#include "splats/density/adc_edit.h"
#include "splats/density/mcmc_edit.h"
#include "splats/morton.h"
#include "support/fake_training.h"
#include "support/random_cloud.h"
#include "support/splat_trainer_steps.h"
#include "support/test_devices.h"

namespace mote {
namespace {

constexpr std::size_t kSplats = 700;
constexpr std::uint64_t kSeed = 9;

TrainSnapshot snapshot_of(const SplatTrainer& trainer) {
  MemoryBytes state;
  trainer.save(state);
  TrainSnapshot snapshot((SplatCloud(0, 0)));
  snapshot.restore(state);
  return snapshot;
}

void set_state(SplatTrainer& trainer, const TrainSnapshot& snapshot) {
  MemoryBytes state;
  snapshot.save(state);
  trainer.restore(state);
}

/// The state after a few steps on the CPU. Each splat has a different red; some are dead for MCMC.
TrainSnapshot trained() {
  static const std::vector<std::byte> state = [] {
    SplatCloud cloud = random_cloud(kSplats, 1, 5);
    for (std::size_t i = 0; i < kSplats; ++i) {
      cloud.sh(i, 0, 0) = static_cast<float>(i);
      if (i % 9 == 0) cloud.at(i, Field::logit_opacity) = -6;
    }
    const auto backend = make_backend("cpu", {.threads = 2, .isa = {}, .index = {}});
    const auto trainer = backend->make_trainer(std::move(cloud), {});
    train(*trainer, grey_photo(), 1, 3);
    MemoryBytes bytes;
    trainer->save(bytes);
    return bytes.bytes;
  }();
  MemoryBytes bytes;
  bytes.write(state);
  TrainSnapshot snapshot((SplatCloud(0, 0)));
  snapshot.restore(bytes);
  return snapshot;
}

void expect_near(const SplatCloud& found, const SplatCloud& expected) {
  ASSERT_EQ(found.count(), expected.count());
  for (std::size_t i = 0; i < found.count(); ++i) {
    for (int f = 0; f < kGaussianFields; ++f) {
      const float value = expected.at(i, static_cast<Field>(f));
      EXPECT_NEAR(found.at(i, static_cast<Field>(f)), value, 1e-6f * (1 + std::abs(value)))
          << i << " " << f;
    }
    for (int k = 0; k < found.sh_coefficients(); ++k) {
      for (int c = 0; c < 3; ++c) EXPECT_EQ(found.sh(i, k, c), expected.sh(i, k, c)) << i;
    }
  }
}

/// The same splats and optimiser state in the same order, without statistics.
void expect_same_state(const SplatTrainer& a, const SplatTrainer& b) {
  const TrainSnapshot found = snapshot_of(a), expected = snapshot_of(b);
  expect_near(found.splats, expected.splats);
  expect_near(found.first, expected.first);
  expect_near(found.second, expected.second);
  for (std::size_t i = 0; i < found.splats.count(); ++i) {
    EXPECT_EQ(found.last_step[i], expected.last_step[i]) << i;
    EXPECT_EQ(found.seen[i], 0u) << i;
    EXPECT_EQ(found.gradient_sum[i], 0.0f) << i;
    EXPECT_EQ(found.radius_px[i], 0.0f) << i;
  }
}

/// Two trainers in the same state: one is changed by its backend, the other by the rules on the
/// host.
class DensityChanges : public OnEachDevice {
 protected:
  void SetUp() override {
    OnEachDevice::SetUp();
    if (!IsSkipped()) start();
  }
  void start() {
    changed_ = backend().make_trainer(random_cloud(1, 1, 5), {});
    edited_ = backend().make_trainer(random_cloud(1, 1, 5), {});
    set_state(*changed_, state_);
    set_state(*edited_, state_);
  }

  /// The mean gradient that this share of the visible splats exceeds.
  double gradient_of_share(double share) const {
    const DensityStatistics statistics = changed_->statistics();
    std::vector<double> means;
    for (std::size_t i = 0; i < statistics.seen.size(); ++i) {
      if (statistics.seen[i] > 0) {
        means.push_back(double{statistics.gradient[i]} / statistics.seen[i]);
      }
    }
    std::ranges::sort(means);
    return means[static_cast<std::size_t>((1 - share) * static_cast<double>(means.size()))];
  }

  AdcOutcome expect_same(const AdcRules& rules, const std::vector<std::uint32_t>& broken = {}) {
    const AdcEdit expected = adc_edit(SplatKind::gaussian, rules, edited_->geometry(),
                                      edited_->statistics(), broken, kSeed);
    const AdcOutcome found = changed_->change(rules, broken, kSeed);
    EXPECT_EQ(found.cloned, expected.outcome.cloned);
    EXPECT_EQ(found.split, expected.outcome.split);
    EXPECT_EQ(found.removed, expected.outcome.removed);
    finish(expected);
    return found;
  }
  McmcOutcome expect_same(const McmcRules& rules, const std::vector<std::uint32_t>& broken = {}) {
    const McmcEdit expected =
        mcmc_edit(SplatKind::gaussian, rules, edited_->geometry(), broken, kSeed);
    const McmcOutcome found = changed_->change(rules, broken, kSeed);
    EXPECT_EQ(found.relocated, expected.outcome.relocated);
    EXPECT_EQ(found.added, expected.outcome.added);
    EXPECT_EQ(found.removed, expected.outcome.removed);
    finish(expected);
    return found;
  }
  template <class Edit>
  void finish(const Edit& expected) {
    if (expected.outcome.changes()) {
      edited_->edit(expected.edit);
    } else {
      edited_->clear_statistics();
    }
    expect_same_state(*changed_, *edited_);
  }

  TrainSnapshot state_ = trained();
  std::unique_ptr<SplatTrainer> changed_, edited_;
};

INSTANTIATE_TEST_SUITE_P(On, DensityChanges, testing::ValuesIn(test_devices()),
                         [](const auto& info) { return info.param.name; });

TEST_P(DensityChanges, AdcClonesSplitsAndPrunes) {
  AdcRules rules{.gradient = gradient_of_share(0.4), .clone_scale = 0.05, .most = 5000};
  AdcOutcome outcome = expect_same(rules);
  EXPECT_GT(outcome.cloned, 10u);
  EXPECT_GT(outcome.split, 10u);
  EXPECT_GT(outcome.removed, 10u);
  EXPECT_EQ(changed_->count(), kSplats + outcome.cloned + outcome.split - outcome.removed);

  start();
  const std::uint64_t faint = outcome.removed;
  rules.prune_scale = 0.15;
  rules.prune_radius_px = 25;
  outcome = expect_same(rules, {3, 17, 601});
  EXPECT_GT(outcome.removed, faint + 3);
}

TEST_P(DensityChanges, AdcTakesTheLargestGradientsIfTheLimitIsNear) {
  for (const bool by_rank_alone : {false, true}) {
    start();
    const AdcRules rules{.gradient = gradient_of_share(0.5),
                         .by_rank_alone = by_rank_alone,
                         .clone_scale = 0.05,
                         .prune_opacity = 0,
                         .most = kSplats + 57};
    const AdcOutcome outcome = expect_same(rules);
    EXPECT_EQ(outcome.cloned + outcome.split, 57u);
    EXPECT_EQ(changed_->count(), kSplats + 57);
  }
}

TEST_P(DensityChanges, AdcTakesTheFirstOfEqualGradients) {
  for (std::size_t i = 0; i < kSplats; ++i) {
    state_.seen[i] = 3;
    state_.gradient_sum[i] = i % 5 == 0 ? 0.0f : 1e-3f;
  }
  start();
  const AdcRules rules{.by_rank_alone = true, .prune_opacity = 0, .most = kSplats + 600};
  const AdcOutcome outcome = expect_same(rules);
  EXPECT_EQ(outcome.cloned + outcome.split, 600u);
}

TEST_P(DensityChanges, AdcKeepsASetThatWouldVanish) {
  AdcRules rules{.gradient = 1e9, .prune_opacity = 1, .most = 5000};
  EXPECT_FALSE(expect_same(rules).changes());
  start();
  EXPECT_EQ(expect_same(rules, {0, 8}).removed, 2u);
  EXPECT_EQ(changed_->count(), kSplats - 2);
}

TEST_P(DensityChanges, McmcRelocatesAndAdds) {
  const McmcOutcome outcome = expect_same({.dead_opacity = 0.005, .count = 1000}, {1, 640});
  EXPECT_GT(outcome.relocated, 60u);
  EXPECT_EQ(outcome.added, 300u);
  start();
  EXPECT_EQ(expect_same({.dead_opacity = 0.005, .count = 0}).added, 0u);
  EXPECT_EQ(changed_->count(), kSplats);
}

TEST_P(DensityChanges, McmcSharesOneSplatAmongMoreThanTheTableHolds) {
  // All but one are dead, so 700 splats share it.
  for (std::size_t i = 1; i < kSplats; ++i) state_.splats.at(i, Field::logit_opacity) = -6;
  state_.splats.at(0, Field::logit_opacity) = 3;
  start();
  EXPECT_EQ(expect_same({.dead_opacity = 0.005, .count = 0}).relocated, kSplats - 1);
}

TEST_P(DensityChanges, McmcKeepsASetWithoutLivingSplats) {
  const McmcRules rules{.dead_opacity = 0.999999, .count = 1000};
  EXPECT_FALSE(expect_same(rules).changes());
  start();
  EXPECT_EQ(expect_same(rules, {2, 3, 699}).removed, 3u);
  start();
  std::vector<std::uint32_t> all(kSplats);
  for (std::uint32_t i = 0; i < kSplats; ++i) all[i] = i;
  EXPECT_EQ(expect_same(rules, all).removed, kSplats);
  EXPECT_EQ(changed_->count(), 0u);
}

TEST_P(DensityChanges, MatchTheCpuOnTheSameState) {
  const auto cpu_backend = make_backend("cpu", {.threads = 2, .isa = {}, .index = {}});
  const auto cpu = cpu_backend->make_trainer(random_cloud(1, 1, 5), {});
  const AdcRules adc{.gradient = gradient_of_share(0.4), .clone_scale = 0.05, .most = 801};
  const McmcRules mcmc{.count = 900};
  set_state(*cpu, snapshot_of(*changed_));
  EXPECT_TRUE(equal(cpu->cloud(), changed_->cloud()));
  EXPECT_EQ(cpu->change(adc, {}, kSeed).split, changed_->change(adc, {}, kSeed).split);
  expect_same_state(*changed_, *cpu);
  // Lanes after the last splat must not affect another backend that continues.
  const SplatCloud cloud = changed_->cloud();
  ASSERT_NE(cloud.count() % kBlockSize, 0u);
  const float* opacities = cloud.geometry_block(cloud.block_count() - 1) +
                           static_cast<std::size_t>(Field::logit_opacity) * kBlockSize;
  EXPECT_LT(opacities[kBlockSize - 1], -1e30f);
  set_state(*cpu, snapshot_of(*changed_));
  EXPECT_EQ(cpu->change(mcmc, {}, kSeed).relocated, changed_->change(mcmc, {}, kSeed).relocated);
  expect_same_state(*changed_, *cpu);
}

TEST_P(DensityChanges, TrainersStartInMortonOrder) {
  // Includes splats that are hard to sort: non-finite positions, equal positions, and distant ones.
  SplatCloud cloud = random_cloud(kSplats, 0, 5);
  cloud.at(3, Field::mean_x) = std::numeric_limits<float>::quiet_NaN();
  cloud.at(40, Field::mean_y) = std::numeric_limits<float>::infinity();
  cloud.at(41, Field::mean_z) = -std::numeric_limits<float>::infinity();
  cloud.at(90, Field::mean_z) = 1e30f;
  for (std::size_t i = 100; i < 140; ++i) cloud.at(i, Field::mean_x) = -0.0f;
  ThreadPool pool(2);
  const SplatCloud expected = reordered(cloud, morton_order(cloud, pool));
  const SplatCloud found = backend().make_trainer(std::move(cloud), {})->cloud();
  ASSERT_EQ(found.count(), kSplats);
  for (std::size_t i = 0; i < kSplats; ++i) EXPECT_EQ(found.sh(i, 0, 0), expected.sh(i, 0, 0)) << i;
}

TEST_P(DensityChanges, ReorderingChangesOnlyTheOrder) {
  // Equals an edit without effect, which clears the statistics.
  const SplatCloud before = changed_->cloud();
  const DensityStatistics statistics = changed_->statistics();
  ThreadPool pool(2);
  const std::vector<std::uint32_t> order = morton_order(before, pool);
  ASSERT_FALSE(std::ranges::is_sorted(order));
  changed_->reorder();
  edited_->edit(without(kSplats, {}));
  EXPECT_TRUE(equal(changed_->cloud(), reordered(before, order)));
  const DensityStatistics after = changed_->statistics();
  for (std::size_t i = 0; i < kSplats; ++i) {
    EXPECT_EQ(after.gradient[i], statistics.gradient[order[i]]) << i;
    EXPECT_EQ(after.seen[i], statistics.seen[order[i]]) << i;
    EXPECT_EQ(after.radius_px[i], statistics.radius_px[order[i]]) << i;
  }
  changed_->clear_statistics();
  expect_same_state(*changed_, *edited_);
}

}  // namespace
}  // namespace mote
