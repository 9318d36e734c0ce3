// Movements that points of several moments show.
#include "train/splats/seed_movement.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <vector>

#include "core/random.h"
#include "train/splats/seeds.h"

namespace mote {
namespace {

constexpr int kMoments = 8, kOnEach = 150;
constexpr double kGap_s = 1.0 / 30, kSpeed = 1.2;

/// A floor that stands still, and above it a plate with a pattern that moves along x. Both are
/// sampled at eight moments, each at other places. Neighbours of a moment are about 0.08 apart, and
/// the plate moves by half of that from moment to moment. Four cameras show a strip each, with
/// clocks that may differ by so many frames.
struct Plates {
  explicit Plates(const std::array<double, 4>& clocks = {0, 0, 0, 0}) {
    for (int moment = 0; moment < kMoments; ++moment) {
      const auto time_s = [&](double across) {
        return (moment + clocks[static_cast<std::size_t>(4 * across)]) * kGap_s;
      };
      for (int i = 0; i < kOnEach; ++i) {
        const double x = random.uniform(), z = random.uniform();
        add({x, 0, z}, time_s(x));
        const double u = random.uniform(), v = random.uniform();
        add({u + kSpeed * time_s(u), -1, v}, time_s(u));
        colors.back() = {0.5 + 0.4 * std::sin(9 * u), 0.5 + 0.4 * std::sin(9 * v), 0.5};
      }
    }
  }
  void add(const glm::dvec3& place, double time_s) {
    positions.push_back(place);
    colors.push_back({0.2, 0.2, 0.2});
    times_s.push_back(time_s);
  }
  MotionSeeds seeds() const {
    return {.positions = positions,
            .times_s = times_s,
            .colors = colors,
            .times = {.duration_s = (kMoments - 1) * kGap_s, .frames_per_second = 30}};
  }
  bool is_floor(std::size_t i) const { return positions[i].y == 0; }
  glm::dvec3 velocity(std::size_t i) const { return {is_floor(i) ? 0 : kSpeed, 0, 0}; }

  /// Root of the mean square of the errors of the floor's seeds, or of the plate's.
  double error(const std::vector<glm::dvec3>& velocities, bool floor) const {
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < velocities.size(); ++i) {
      if (is_floor(i) != floor) continue;
      const glm::dvec3 difference = velocities[i] - velocity(i);
      sum += glm::dot(difference, difference);
      ++count;
    }
    return std::sqrt(sum / count);
  }

  Random random{1, 2};
  std::vector<glm::dvec3> positions;
  std::vector<std::array<double, 3>> colors;
  std::vector<double> times_s;
};

/// With no seed known to stand still.
FirstVelocities found_for(const MotionSeeds& seeds) {
  return first_velocities(seeds, std::vector<bool>(seeds.positions.size(), false));
}

TEST(SeedMovement, PointsThatOtherMomentsShowAgainStandStill) {
  const Plates plates;
  const std::vector<bool> still = stand_still(plates.seeds());
  double floor = 0, plate = 0;
  for (std::size_t i = 0; i < still.size(); ++i) (plates.is_floor(i) ? floor : plate) += still[i];
  EXPECT_GT(floor, 0.7 * kMoments * kOnEach);
  EXPECT_LT(plate, 0.3 * kMoments * kOnEach);
}

TEST(SeedMovement, CamerasWhoseClocksDifferByPartsOfAFrameShowTheSameMoments) {
  const Plates plates({0, 0.3, -0.2, 0.4});
  const std::vector<bool> still = stand_still(plates.seeds());
  double floor = 0, plate = 0;
  for (std::size_t i = 0; i < still.size(); ++i) (plates.is_floor(i) ? floor : plate) += still[i];
  EXPECT_GT(floor, 0.7 * kMoments * kOnEach) << "each camera shows a quarter of the floor";
  EXPECT_LT(plate, 0.4 * kMoments * kOnEach);
  EXPECT_NEAR(moment_gap(plates.seeds()), kGap_s, 1e-9);
  MotionSeeds without_rate = plates.seeds();
  without_rate.times.frames_per_second = 0;
  EXPECT_LT(moment_gap(without_rate), kGap_s / 3) << "times without a rate count as they are";
}

/// Points in rows and columns 0.1 apart, with a colour each, that move along x by less than 0.04
/// until the last moment they are compared with. Each is seen in each frame, at its own time.
TEST(SeedMovement, VelocitiesFollowFromTheTimesOfThePointsThemselves) {
  constexpr int kFrames = 6, kAcross = 8;
  constexpr double kSlow = 0.3;  // world units per second
  Random random(5, 6);
  std::vector<glm::dvec3> positions;
  std::vector<std::array<double, 3>> colors, own_colors;
  std::vector<double> times_s;
  for (int i = 0; i < kAcross * kAcross; ++i) {
    const double red = random.uniform(), green = random.uniform();
    own_colors.push_back({red, green, random.uniform()});
  }
  for (int frame = 0; frame < kFrames; ++frame) {
    for (int i = 0; i < kAcross * kAcross; ++i) {
      const double time_s = (frame + random.uniform(-0.4, 0.4)) * kGap_s;
      positions.emplace_back(0.1 * (i % kAcross) + kSlow * time_s, 0.1 * (i / kAcross), 0);
      colors.push_back(own_colors[static_cast<std::size_t>(i)]);
      times_s.push_back(time_s);
    }
  }
  const FirstVelocities found =
      found_for({.positions = positions,
                 .times_s = times_s,
                 .colors = colors,
                 .times = {.duration_s = kFrames * kGap_s, .frames_per_second = 30}});
  for (std::size_t i = 0; i < positions.size(); ++i) {
    ASSERT_TRUE(found.move[i]) << i;
    ASSERT_NEAR(found.velocities[i].x, kSlow, 1e-6) << i;
  }
}

TEST(SeedMovement, PointsOfAnotherColourDoNotCount) {
  Plates plates;
  for (std::size_t i = 0; i < plates.colors.size(); ++i) {
    plates.colors[i] = {4 * plates.times_s[i], 0, 0};  // a lamp that gets brighter
  }
  for (const bool still : stand_still(plates.seeds())) EXPECT_FALSE(still);
}

TEST(SeedMovement, VelocitiesAreFoundAmongPointsThatAreFurtherApartThanTheyMove) {
  const Plates plates;
  const FirstVelocities found = found_for(plates.seeds());
  EXPECT_LT(plates.error(found.velocities, false), 0.55 * kSpeed);
  double plate = 0, floor = 0;
  for (std::size_t i = 0; i < found.move.size(); ++i) {
    (plates.is_floor(i) ? floor : plate) += found.move[i];
    if (found.move[i]) continue;
    ASSERT_EQ(found.velocities[i], glm::dvec3(0)) << i;
  }
  EXPECT_GT(plate, 0.6 * kMoments * kOnEach);
  EXPECT_LT(floor, 0.1 * kMoments * kOnEach);
}

TEST(SeedMovement, PointsThatStandStillHaveNoVelocity) {
  const Plates plates;
  const std::vector<bool> still = stand_still(plates.seeds());
  const FirstVelocities found = first_velocities(plates.seeds(), still);
  double of_others = 0;
  for (std::size_t i = 0; i < still.size(); ++i) {
    if (still[i]) {
      ASSERT_FALSE(found.move[i]) << i;
      ASSERT_EQ(found.velocities[i], glm::dvec3(0)) << i;
    }
    of_others += found.move[i];
  }
  EXPECT_GT(of_others, 0.5 * kMoments * kOnEach);
}

TEST(SeedMovement, PointsThatStandStillGetNoVelocityFromTheirDistances) {
  const Plates plates;
  const std::vector<glm::dvec3> velocities = found_for(plates.seeds()).velocities;
  // Half a distance of neighbours in the time between two moments would be 1.2.
  EXPECT_LT(plates.error(velocities, true), 0.15);
  std::size_t zero = 0;
  for (std::size_t i = 0; i < velocities.size(); ++i) {
    zero += plates.is_floor(i) && velocities[i] == glm::dvec3(0);
  }
  EXPECT_GT(zero, kMoments * kOnEach / 2);
}

TEST(SeedMovement, OneMomentAndFewPointsShowNothing) {
  const std::vector<glm::dvec3> positions{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}};
  const std::vector<std::array<double, 3>> colors(4, {0.5, 0.5, 0.5});
  for (const std::vector<double>& times_s :
       {std::vector<double>(4, 0.5), std::vector<double>{0, 0, 1, 1},
        std::vector<double>(4, kAlways)}) {
    const MotionSeeds seeds{.positions = positions,
                            .times_s = times_s,
                            .colors = colors,
                            .times = {.duration_s = 1, .frames_per_second = 5}};
    const FirstVelocities found = found_for(seeds);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      EXPECT_EQ(found.velocities[i], glm::dvec3(0));
      EXPECT_FALSE(found.move[i]);
    }
    for (const bool still : stand_still(seeds)) EXPECT_FALSE(still);
  }
  const MotionSeeds none{.positions = {}, .times_s = {}, .colors = {}, .times = {}};
  EXPECT_TRUE(stand_still(none).empty());
  EXPECT_TRUE(found_for(none).velocities.empty());
  EXPECT_EQ(moment_gap(none), 0);
}

TEST(SeedMovement, PointsWithoutNeighboursOrWithCopiesStandStillWhereTheyAreSeenAgain) {
  for (const int copies : {1, 5}) {
    std::vector<glm::dvec3> same, moved;
    std::vector<double> times_s;
    for (int moment = 0; moment < 5; ++moment) {
      for (int i = 0; i < copies; ++i) {
        same.emplace_back(1, 2, 3);
        moved.emplace_back(1 + 0.1 * moment, 2, 3);
        times_s.push_back(moment);
      }
    }
    const std::vector<std::array<double, 3>> colors(same.size(), {0.5, 0.5, 0.5});
    const auto still = [&](const std::vector<glm::dvec3>& positions) {
      return stand_still({.positions = positions,
                          .times_s = times_s,
                          .colors = colors,
                          .times = {.duration_s = 4, .frames_per_second = 1}});
    };
    EXPECT_EQ(still(same), std::vector<bool>(same.size(), true)) << copies;
    EXPECT_EQ(still(moved), std::vector<bool>(same.size(), false)) << copies;
  }
}

TEST(SeedMovement, OneMomentHasItsPointsAndThoseThatStandStill) {
  const Plates plates;
  Seeds seeds{.positions = plates.positions, .colors = plates.colors, .times_s = plates.times_s};
  const std::vector<bool> still = stand_still(plates.seeds());
  const double time_s = 3 * kGap_s;
  std::size_t expected = 0;
  for (std::size_t i = 0; i < still.size(); ++i) {
    expected += still[i] || plates.times_s[i] == time_s ? 1 : 0;
  }
  ASSERT_LT(expected, still.size());
  Random random(1, 1);
  const SceneTimes times = plates.seeds().times;
  Seeds few = seeds;
  keep_moment(few, time_s, times, 100, random);
  EXPECT_EQ(few.positions.size(), 2u * kOnEach + 100);
  keep_moment(seeds, time_s, times, 100000, random);
  EXPECT_EQ(seeds.positions.size(), expected);
  EXPECT_EQ(seeds.times_s.size(), expected);
  keep_moment(seeds, 2, times, 100000, random);
  EXPECT_LT(seeds.positions.size(), expected) << "only what stands still is seen at 2 s";
}

TEST(SeedMovement, TheGapIsThatOfMomentsWithPoints) {
  const std::vector<glm::dvec3> positions(4);
  const std::vector<double> times_s{0.5, kAlways, 1.5, 0.5};
  EXPECT_DOUBLE_EQ(
      moment_gap({.positions = positions, .times_s = times_s, .colors = {}, .times = {}}), 1);
}

}  // namespace
}  // namespace mote
