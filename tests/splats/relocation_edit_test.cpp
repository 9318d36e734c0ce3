// Relocation of splats that move.
#include "splats/density/relocation_edit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "math/activations.h"
#include "splats/life_range.h"
#include "splats/motions/life.h"

namespace mote {
namespace {

class Relocations : public testing::Test {
 protected:
  Relocations() {
    for (int i = 0; i < 100; ++i) {
      SplatGeometry splat{};
      splat.mean[0] = static_cast<float>(i);
      splat.rotation[0] = 1;
      splat.logit_opacity = i < 3 ? -8.0f - static_cast<float>(i) : 1;
      geometry_.push_back(splat);
      MotionValues motion{};
      motion[Field::time_mean] = 0.01f * static_cast<float>(i);
      motion[Field::log_time_sigma] = -2;
      motion[Field::log_time_plateau] = -3;
      motion[Field::velocity_x] = 1;
      motions_.push_back(motion);
      statistics_.gradient.push_back(i == 50 ? 256e3f : 256.0f);
      statistics_.seen.push_back(256);
      statistics_.radius_px.push_back(1);
    }
  }

  RelocationEdit changed(const RelocationRules& rules, std::span<const std::uint32_t> broken = {},
                         std::uint64_t seed = 1) const {
    return relocation_edit(
        rules,
        {.geometry = geometry_, .motions = motions_, .statistics = statistics_, .broken = broken},
        seed);
  }

  std::vector<SplatGeometry> geometry_;
  std::vector<MotionValues> motions_;
  DensityStatistics statistics_;
};

TEST_F(Relocations, FaintSplatsBecomeCopiesAndTheNumberStays) {
  const RelocationEdit result = changed({.most_share = 0.5});
  EXPECT_EQ(result.outcome.relocated, 3u);
  ASSERT_EQ(result.edit.source.size(), geometry_.size());
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_GE(result.edit.source[i], 3u);
    EXPECT_EQ(result.edit.forget[i], 1);
    EXPECT_EQ(result.edit.forget[result.edit.source[i]], 1) << "parents lose their moments";
  }
  EXPECT_TRUE(result.edit.moves.empty());
}

TEST_F(Relocations, ParentAndChildTogetherLookLikeTheParent) {
  const RelocationEdit result = changed({.most_share = 0.5});
  ASSERT_GE(result.edit.changes.size(), 4u) << "three children and their parents";
  for (const DensityEdit::Change& change : result.edit.changes) {
    const std::uint32_t source = result.edit.source[change.splat];
    const auto copies = std::ranges::count(result.edit.source, source);
    ASSERT_GT(copies, 1);
    const double each = sigmoid(static_cast<double>(change.geometry.logit_opacity));
    const double together = 1 - std::pow(1 - each, static_cast<double>(copies));
    EXPECT_NEAR(together, sigmoid(1.0), 1e-5);
    EXPECT_EQ(change.geometry.mean[0], geometry_[source].mean[0]);
  }
}

TEST_F(Relocations, SplatsWithLargeGradientsAreParentsMoreOften) {
  int of_large = 0, of_others = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const RelocationEdit result = changed({.most_share = 0.5}, {}, seed);
    for (std::uint32_t i = 0; i < 3; ++i) {
      (result.edit.source[i] == 50 ? of_large : of_others) += 1;
    }
  }
  // Splat 50 has 0.91 of the gradients and 0.01 of the opacities: 0.46 of the draws.
  EXPECT_NEAR(static_cast<double>(of_large) / (of_large + of_others), 0.46, 0.06);
}

TEST_F(Relocations, LongLivesAreShortenedUnlessTheyLastForTheScene) {
  motions_[20][Field::log_time_sigma] = 0;  // a life of some 6.5 s
  motions_[21][Field::log_time_sigma] = 3;
  const RelocationEdit result =
      changed({.most_share = 0, .lives = {.longest_s = 2}, .scene_s = 20});
  EXPECT_EQ(result.outcome.shortened, 1u);
  ASSERT_EQ(result.edit.moves.size(), 1u);
  const MotionValues& motion = result.edit.moves[0].motion;
  EXPECT_EQ(result.edit.moves[0].splat, 20u);
  const LifeRange life = life_range(motion, geometry_[20].logit_opacity);
  EXPECT_NEAR(life.to_s - life.from_s, 2, 1e-3);
  EXPECT_EQ(motion[Field::time_mean], motions_[20][Field::time_mean]);
}

TEST_F(Relocations, TooManySplatsThatLiveAlwaysAreNoParents) {
  for (std::size_t i = 3; i < 60; ++i) motions_[i][Field::log_time_sigma] = 5;
  for (const bool are_many : {false, true}) {
    const RelocationEdit result = changed(
        {.most_share = 0.5, .lives = {.most_always = are_many ? 57u : 58u}, .scene_s = 2}, {}, 3);
    std::set<std::uint32_t> parents;
    for (std::uint32_t i = 0; i < 3; ++i) parents.insert(result.edit.source[i]);
    EXPECT_EQ(*parents.begin() >= 60, are_many);
  }
}

TEST_F(Relocations, TheFaintestAndAllBrokenOnesMoveFirst) {
  const std::vector<std::uint32_t> broken{70};
  const RelocationEdit result = changed({.most_share = 0.02}, broken);
  EXPECT_EQ(result.outcome.relocated, 2u);
  EXPECT_NE(result.edit.source[70], 70u);
  EXPECT_NE(result.edit.source[2], 2u) << "the faintest";
  EXPECT_EQ(result.edit.source[0], 0u);
}

TEST_F(Relocations, TheNumberGrowsToTheOneAskedFor) {
  const RelocationEdit result = changed({.count = 110});
  EXPECT_EQ(result.outcome.added, 10u);
  EXPECT_EQ(result.edit.source.size(), 110u);
}

TEST_F(Relocations, SplatsThatLiveLongAndHardlyMoveBecomeStatic) {
  motions_[20][Field::log_time_sigma] = 2;
  motions_[20][Field::velocity_x] = 1e-4f;
  motions_[21][Field::log_time_sigma] = 2;  // moves by a unit
  const SightPoint camera{.position_world = {20, 0, -10}, .focal_px = 1000};
  const RelocationEdit result =
      changed({.duration_s = 1, .cameras = std::span<const SightPoint>(&camera, 1)});
  EXPECT_EQ(result.outcome.settled, 1u);
  ASSERT_EQ(result.edit.moves.size(), 1u);
  EXPECT_EQ(result.edit.moves[0].splat, 20u);
  const MotionValues& motion = result.edit.moves[0].motion;
  EXPECT_EQ(motion[Field::log_time_plateau], kStaticLogPlateau);
  EXPECT_EQ(motion[Field::velocity_x], 0);
  // It stays where it is in the middle of the scene's times.
  const auto change = std::ranges::find(result.edit.changes, 20u, &DensityEdit::Change::splat);
  ASSERT_NE(change, result.edit.changes.end());
  EXPECT_NEAR(change->geometry.mean[0], 20 + 1e-4 * (0.5 - 0.2), 1e-6);
  EXPECT_EQ(changed({.duration_s = 0}).outcome.settled, 0u);
}

TEST_F(Relocations, CurvesAndTurnsCountAsMovement) {
  const SightPoint camera{.position_world = {20, 0, -10}, .focal_px = 1000};
  const auto settled = [&] {
    return changed({.duration_s = 1, .cameras = std::span<const SightPoint>(&camera, 1)})
        .outcome.settled;
  };
  motions_[20][Field::log_time_sigma] = 2;
  motions_[20][Field::velocity_x] = 0;
  motions_[20][Field::quadratic_y] = 1e-4f;
  motions_[20][Field::cubic_z] = 1e-4f;
  motions_[20][Field::spin_x] = 1e-4f;
  EXPECT_EQ(settled(), 1u);
  for (const Field field : {Field::quadratic_y, Field::cubic_z, Field::spin_x}) {
    const float little = motions_[20][field];
    motions_[20][field] = 0.1f;
    EXPECT_EQ(settled(), 0u) << static_cast<int>(field);
    motions_[20][field] = little;
  }
}

/// The path from 0 to 1 s goes out to 0.25 and comes back.
TEST_F(Relocations, AStaticSplatHasThePlaceAndRotationOfTheMiddle) {
  motions_[20][Field::log_time_sigma] = 2;
  motions_[20][Field::time_mean] = 0;
  motions_[20][Field::velocity_x] = 1e-4f;
  motions_[20][Field::quadratic_x] = -1e-4f;
  motions_[20][Field::spin_y] = 1e-5f;
  const SightPoint camera{.position_world = {20, 0, -10}, .focal_px = 1000};
  const RelocationEdit result =
      changed({.duration_s = 1, .cameras = std::span<const SightPoint>(&camera, 1)});
  ASSERT_EQ(result.edit.moves.size(), 1u);
  for (int f = static_cast<int>(Field::velocity_x); f < kFields; ++f) {
    EXPECT_EQ(result.edit.moves[0].motion[static_cast<Field>(f)], 0);
  }
  const auto change = std::ranges::find(result.edit.changes, 20u, &DensityEdit::Change::splat);
  ASSERT_NE(change, result.edit.changes.end());
  EXPECT_NEAR(change->geometry.mean[0], 20 + 0.25e-4, 3e-6);
  EXPECT_FLOAT_EQ(change->geometry.rotation[2], 0.5e-5f);
}

TEST_F(Relocations, LivesStayLongEnough) {
  motions_[30][Field::log_time_sigma] = -6;
  const RelocationEdit result = changed({.least_sigma_s = 0.01});
  EXPECT_EQ(result.outcome.lengthened, 1u);
  ASSERT_EQ(result.edit.moves.size(), 1u);
  EXPECT_NEAR(result.edit.moves[0].motion[Field::log_time_sigma], std::log(0.01), 1e-5);
}

/// A birth that differs from the splats.
SplatBirth birth_at(float x) {
  SplatBirth birth{};
  birth.geometry.mean[0] = x;
  birth.geometry.rotation[0] = 1;
  birth.motion[Field::time_mean] = 0.5f;
  birth.motion[Field::log_time_sigma] = 7;  // longer than a bound
  birth.sh_0[1] = x;
  return birth;
}

TEST_F(Relocations, BirthsTakeThePlacesOfTheDeadAndTheNumberStays) {
  const std::vector<SplatBirth> births{birth_at(1000), birth_at(1001)};
  for (std::size_t i = 0; i < 2; ++i) motions_[i][Field::log_time_plateau] = 3;  // longer too
  const RelocationEdit result =
      changed({.most_share = 0.5, .lives = {.longest_s = 2}, .scene_s = 1e6, .births = births});
  EXPECT_EQ(result.outcome.relocated, 3u);
  EXPECT_EQ(result.outcome.born, 2u);
  ASSERT_EQ(result.edit.source.size(), geometry_.size());
  ASSERT_EQ(result.edit.colors.size(), 2u);
  ASSERT_EQ(result.edit.moves.size(), 2u) << "those just born keep their lives";
  for (std::uint32_t i = 0; i < 2; ++i) {
    EXPECT_EQ(result.edit.forget[i], 1);
    EXPECT_EQ(result.edit.colors[i].splat, i);
    EXPECT_EQ(result.edit.colors[i].sh_0[1], births[i].sh_0[1]);
    EXPECT_EQ(result.edit.moves[i].splat, i);
    EXPECT_EQ(result.edit.moves[i].motion[Field::log_time_sigma], 7);
    const auto change = std::ranges::find(result.edit.changes, i, &DensityEdit::Change::splat);
    ASSERT_NE(change, result.edit.changes.end());
    EXPECT_EQ(change->geometry.mean[0], births[i].geometry.mean[0]);
  }
  EXPECT_GE(result.edit.source[2], 3u) << "the third is a copy";
  EXPECT_EQ(result.edit.changes.size(), 4u) << "two births, a copy and its parent";
}

TEST_F(Relocations, ThereAreNoMoreBirthsThanDeadSplats) {
  const std::vector<SplatBirth> births(50, birth_at(1000));
  const RelocationRules rules{.most_share = 0.5, .births = births};
  EXPECT_EQ(
      count_to_relocate(
          rules,
          {.geometry = geometry_, .motions = motions_, .statistics = statistics_, .broken = {}}),
      3u);
  const RelocationEdit result = changed(rules);
  EXPECT_EQ(result.outcome.born, 3u);
  EXPECT_EQ(result.edit.changes.size(), 3u) << "no parents";
  EXPECT_EQ(changed({.most_share = 0, .births = births}).outcome.born, 0u);
}

TEST_F(Relocations, DrawsDependOnTheSeedOnly) {
  EXPECT_EQ(changed({.most_share = 0.5}).edit.source, changed({.most_share = 0.5}).edit.source);
  std::set<std::vector<std::uint32_t>> results;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    results.insert(changed({.most_share = 0.5}, {}, seed).edit.source);
  }
  EXPECT_GT(results.size(), 1u);
}

}  // namespace
}  // namespace mote
