// A selection grows and shrinks among splats that move, where they are at a time.
#include <gtest/gtest.h>

#include <vector>

#include "splats/moment.h"
#include "splats/selection_growth.h"
#include "splats/splat_editor.h"
#include "support/random_cloud.h"

namespace mote {
namespace {

constexpr double kGrownBy = 0.15;
const SeenFrom kGrownAt{.time_s = 1.3};

/// The mask of a moment as one of the cloud.
SplatMask of_cloud(const SplatMask& mask, const std::vector<std::uint32_t>& source,
                   std::size_t count) {
  SplatMask result(count);
  for (const std::uint32_t i : mask.indices()) result.set(source[i], true);
  return result;
}

TEST(GrowthInTime, IsThatOfTheSplatsStandingStillWhereTheyAre) {
  const SplatCloud cloud = random_moving_cloud(2000, 0, 3, SplatMotion::poly);
  std::vector<std::uint32_t> source;
  const SplatCloud moment = moment_of(cloud, kGrownAt.time_s, &source);
  const SplatMask all(cloud.count(), true), all_seen(moment.count(), true);
  const SplatMask seen_ball = pick_in_sphere(moment, {0, 0, 0}, 0.5);
  const SplatMask ball = of_cloud(seen_ball, source, cloud.count());
  const SplatMask wider = grown(cloud, ball, all, kGrownBy, kGrownAt);
  EXPECT_EQ(wider, of_cloud(grown(moment, seen_ball, all_seen, kGrownBy), source, cloud.count()));
  EXPECT_GT(wider.count(), ball.count());
  EXPECT_FALSE(wider == grown(cloud, ball, all, kGrownBy)) << "in the middles of lives";
  const SplatMask narrower = shrunk(cloud, ball, all, kGrownBy, kGrownAt);
  EXPECT_EQ(narrower,
            of_cloud(shrunk(moment, seen_ball, all_seen, kGrownBy), source, cloud.count()));
  EXPECT_LT(narrower.count(), ball.count());
}

TEST(GrowthInTime, SplatsThatAreNotSeenStaySelected) {
  const SplatCloud cloud = random_moving_cloud(2000, 0, 3);
  std::vector<std::uint32_t> source;
  moment_of(cloud, kGrownAt.time_s, &source);
  SplatMask unseen(cloud.count(), true);
  for (const std::uint32_t i : source) unseen.set(i, false);
  const SplatMask all(cloud.count(), true);
  EXPECT_EQ(grown(cloud, unseen, all, kGrownBy, kGrownAt), unseen) << "near to none";
  EXPECT_EQ(shrunk(cloud, unseen, all, kGrownBy, kGrownAt), unseen);
}

TEST(GrowthInTime, AnEditorGrowsItsSelectionAtTheTime) {
  const SplatCloud cloud = random_moving_cloud(2000, 0, 3);
  SplatEditor editor(random_moving_cloud(2000, 0, 3));
  const SplatMask ball = pick_in_slice(
      cloud, kGrownAt, [](const auto& slice, auto) { return pick_in_sphere(slice, {}, 0.5); });
  editor.select(ball, MaskOperation::replace);
  ASSERT_TRUE(editor.grow_selection(kGrownBy, kGrownAt));
  const SplatMask all(cloud.count(), true);
  EXPECT_EQ(editor.selected(), grown(cloud, ball, all, kGrownBy, kGrownAt));
  ASSERT_TRUE(editor.shrink_selection(kGrownBy, kGrownAt));
  EXPECT_LT(editor.selected().count(), grown(cloud, ball, all, kGrownBy, kGrownAt).count());
}

}  // namespace
}  // namespace mote
