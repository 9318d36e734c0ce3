// Trails of a streamed scene: of which parts, and of which splats.
#include "model/moving/part_trails.h"

#include <gtest/gtest.h>

#include <memory>

#include "support/random_cloud.h"

namespace mote {
namespace {

/// A part whose splats live always and have velocities times `factor`.
std::shared_ptr<const MotionTrails> part_of(std::uint32_t seed, float factor) {
  SplatCloud cloud = random_moving_cloud(200, 0, seed);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    cloud.at(i, Field::logit_opacity) = 3;
    cloud.at(i, Field::log_time_plateau) = 3;
    for (const Field field : {Field::velocity_x, Field::velocity_y, Field::velocity_z}) {
      cloud.at(i, field) *= factor;
    }
  }
  return std::make_shared<const MotionTrails>(cloud, SplatMask(), PartTrails::kMostOfPart);
}

TEST(PartTrails, AreThoseOfThePartsThatAreThere) {
  PartTrails trails;
  EXPECT_TRUE(trails.at(1, 0.2)->empty());
  trails.put(7, part_of(3, 1));
  const MotionWays ways = *trails.at(1, 0.2);
  EXPECT_GT(ways.size(), PartTrails::kMostOfPart / 3);
  EXPECT_LE(ways.size(), PartTrails::kMostOfPart);
  for (const auto& way : ways) EXPECT_EQ(way.size(), MotionTrails::kSteps + 1u);
  trails.put(2, part_of(4, 1));
  EXPECT_GT(trails.at(1, 0.2)->size(), ways.size());
  trails.drop(2);
  EXPECT_EQ(*trails.at(1, 0.2), ways);
  trails.drop(7);
  EXPECT_TRUE(trails.at(1, 0.2)->empty());
}

TEST(PartTrails, AreKeptUntilATimeOrAPartChanges) {
  PartTrails trails;
  trails.put(7, part_of(3, 1));
  const auto first = trails.at(1, 0.2);
  EXPECT_EQ(trails.at(1, 0.2), first) << "the same object";
  EXPECT_NE(trails.at(1.1, 0.2), first);
  EXPECT_NE(*trails.at(1, 0.3), *first);
  EXPECT_EQ(*trails.at(1, 0.2), *first);
  const auto kept = trails.at(1, 0.2);
  trails.put(2, part_of(4, 1));
  EXPECT_GT(trails.at(1, 0.2)->size(), kept->size());
  trails.drop(2);
  EXPECT_EQ(*trails.at(1, 0.2), *kept);
}

TEST(PartTrails, FollowWhatIsFastInAllParts) {
  PartTrails trails;
  trails.put(0, part_of(3, 1e-4f));
  EXPECT_FALSE(trails.at(1, 0.2)->empty());
  trails.put(1, part_of(4, 1));
  const std::size_t count = trails.at(1, 0.2)->size();
  EXPECT_GT(count, PartTrails::kMostOfPart / 3);
  EXPECT_LE(count, PartTrails::kMostOfPart) << "those of the slow part are left out";
}

TEST(PartTrails, AreFewInALargeScene) {
  PartTrails trails;
  for (std::uint32_t part = 0; part < 30; ++part) trails.put(part, part_of(part + 1, 1));
  const std::size_t count = trails.at(1, 0.2)->size();
  EXPECT_LE(count, MotionTrails::kMost);
  EXPECT_GT(count, MotionTrails::kMost / 3);
}

}  // namespace
}  // namespace mote
