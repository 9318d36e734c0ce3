// Selections that spread from a splat, compared with a search of all pairs.
#include "splats/picking/color_flood.h"

#include <gtest/gtest.h>

#include <glm/geometric.hpp>
#include <limits>
#include <vector>

#include "splats/picking/splat_properties.h"
#include "support/random_cloud.h"

namespace mote {
namespace {

glm::dvec3 mean_of(const SplatCloud& cloud, std::size_t i) {
  return {cloud.at(i, Field::mean_x), cloud.at(i, Field::mean_y), cloud.at(i, Field::mean_z)};
}

SplatMask flood_of_all_pairs(const SplatCloud& cloud, const SplatMask& among,
                             const ColorFlood& wanted) {
  std::vector<std::uint32_t> front;
  SplatMask result(cloud.count());
  double shortest = std::numeric_limits<double>::infinity();
  std::uint32_t first = 0;
  for (const std::uint32_t i : among.indices()) {
    if (glm::distance(mean_of(cloud, i), wanted.from) >= shortest) continue;
    shortest = glm::distance(mean_of(cloud, i), wanted.from);
    first = i;
  }
  const glm::dvec3 color = base_color(cloud, first, {});
  front.push_back(first);
  result.set(first, true);
  while (!front.empty()) {
    const std::uint32_t at = front.back();
    front.pop_back();
    for (const std::uint32_t i : among.indices()) {
      if (result.test(i) ||
          glm::distance(mean_of(cloud, i), mean_of(cloud, at)) > wanted.distance ||
          glm::distance(base_color(cloud, i, {}), color) > wanted.color_range) {
        continue;
      }
      result.set(i, true);
      front.push_back(i);
    }
  }
  return result;
}

TEST(Flood, EqualsASearchOfAllPairs) {
  const SplatCloud cloud = random_cloud(3000, 0, 2);
  SplatMask among(cloud.count(), true);
  for (std::size_t i = 0; i < cloud.count(); i += 5) among.set(i, false);
  std::size_t partial = 0;
  for (const double distance : {0.03, 0.07, 0.09, 0.12, 0.2}) {
    for (const double range : {0.3, 0.7, 1.0, 2.0}) {
      const ColorFlood wanted{{0.1, 0.2, -0.1}, distance, range};
      const SplatMask found = flood(cloud, among, wanted);
      EXPECT_EQ(found, flood_of_all_pairs(cloud, among, wanted)) << distance << " " << range;
      partial += found.count() > 3 && found.count() < 2000;
    }
  }
  EXPECT_GT(partial, 1u) << "a test of neither all nor nothing";
}

TEST(Flood, StopsAtAGapAndAtAnotherColor) {
  SplatCloud cloud = random_cloud(30, 0, 3);
  for (std::size_t i = 0; i < 30; ++i) {
    cloud.at(i, Field::mean_x) = static_cast<float>(i) + (i >= 20 ? 5.0f : 0.0f);
    cloud.at(i, Field::mean_y) = cloud.at(i, Field::mean_z) = 0;
    for (int c = 0; c < 3; ++c) cloud.sh(i, 0, c) = i < 8 ? -1.0f : 1.0f;
  }
  const SplatMask all(30, true);
  EXPECT_EQ(flood(cloud, all, {{15, 0, 0}, 1.5, 2}).count(), 20u) << "up to the gap";
  EXPECT_EQ(flood(cloud, all, {{15, 0, 0}, 7, 2}).count(), 30u) << "over it";
  EXPECT_EQ(flood(cloud, all, {{15, 0, 0}, 1.5, 0.1}).count(), 12u) << "of its own colour";
}

TEST(Flood, TakesNothingFromNoneAndSkipsMeansThatAreNotFinite) {
  SplatCloud cloud = random_cloud(50, 0, 4);
  EXPECT_FALSE(flood(cloud, SplatMask(50), {{0, 0, 0}, 1, 2}).any());
  cloud.at(9, Field::mean_y) = std::numeric_limits<float>::quiet_NaN();
  const SplatMask found = flood(cloud, SplatMask(50, true), {{0, 0, 0}, 10, 2});
  EXPECT_EQ(found.count(), 49u);
  EXPECT_FALSE(found.test(9));
}

}  // namespace
}  // namespace mote
