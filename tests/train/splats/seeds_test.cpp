// Numbers of first splats of moving scenes, and their places.
#include "train/splats/seeds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace mote {
namespace {

constexpr SceneTimes kTimes{.duration_s = 2, .frames_per_second = 30};
constexpr std::size_t kNoBound = std::numeric_limits<std::size_t>::max();

/// Seeds in rows: those that live always along x, those with times along y, of which every second
/// one moves.
Seeds rows(std::size_t always, std::size_t with_times) {
  Seeds seeds;
  const auto add = [&](const glm::dvec3& place, double time_s, bool moves) {
    seeds.positions.push_back(place);
    seeds.colors.push_back({0.5, 0.5, 0.5});
    seeds.times_s.push_back(time_s);
    seeds.velocities.push_back({0, 0, moves ? 1 : 0});
    seeds.move.push_back(moves);
  };
  for (std::size_t i = 0; i < always; ++i) add({1 + static_cast<double>(i), 0, 0}, kAlways, false);
  for (std::size_t i = 0; i < with_times; ++i) {
    add({0, 1 + static_cast<double>(i), 0}, 0.5, i % 2 == 0);
  }
  return seeds;
}

struct Numbers {
  std::size_t always = 0, moving = 0, unclear = 0;

  explicit Numbers(const Seeds& seeds) : always(seeds.always()) {
    EXPECT_EQ(seeds.colors.size(), seeds.positions.size());
    EXPECT_EQ(seeds.times_s.size(), seeds.positions.size());
    EXPECT_EQ(seeds.velocities.size(), seeds.positions.size());
    EXPECT_EQ(seeds.move.size(), seeds.positions.size());
    for (std::size_t i = 0; i < seeds.move.size(); ++i) {
      if (std::isnan(seeds.times_s[i])) continue;
      (seeds.move[i] ? moving : unclear) += 1;
    }
  }
};

Seeds spread(Seeds seeds, std::size_t count, std::size_t most_always = kNoBound) {
  Random random(3, 4);
  spread_in_time(seeds, seed_numbers(seeds, count, most_always), kTimes, random);
  EXPECT_EQ(seeds.positions.size(), count);
  return seeds;
}

TEST(Seeds, WithTimesGetMostOfTheSplats) {
  const Numbers found(spread(rows(600, 200), 1000));
  EXPECT_EQ(found.always, 300u);
  EXPECT_EQ(found.moving + found.unclear, 700u);
  // Those that are added are five times as often beside seeds that move.
  EXPECT_GT(2 * found.moving, 5 * found.unclear);
  EXPECT_GE(found.unclear, 100u);
}

TEST(Seeds, WithTimesAreCopiedTwentyTimesAtMost) {
  const Numbers found(spread(rows(600, 10), 1000));
  EXPECT_EQ(found.moving + found.unclear, 200u);
  EXPECT_EQ(found.always, 800u);
}

TEST(Seeds, WithoutAVelocityAreDroppedFirst) {
  const Numbers found(spread(rows(600, 200), 200));
  EXPECT_EQ(found.always, 60u);
  EXPECT_EQ(found.moving, 100u);
  EXPECT_EQ(found.unclear, 40u);
  const Numbers few(spread(rows(600, 200), 100));
  EXPECT_EQ(few.moving, 70u);
  EXPECT_EQ(few.unclear, 0u);
}

TEST(Seeds, OfOneClassGetAllSplats) {
  const Numbers moving(spread(rows(0, 50), 400));
  EXPECT_EQ(moving.always, 0u);
  EXPECT_EQ(moving.moving + moving.unclear, 400u);
  // Without times, those that are added get random ones; else every second seed does.
  EXPECT_EQ(Numbers(spread(rows(50, 0), 400)).always, 50u);
  EXPECT_EQ(Numbers(spread(rows(400, 0), 400)).always, 200u);
  EXPECT_EQ(Numbers(spread(rows(400, 0), 400, 30)).always, 30u);
}

TEST(Seeds, ThatLiveAlwaysStayWithinTheirBound) {
  const Numbers found(spread(rows(600, 200), 1000, 80));
  EXPECT_EQ(found.always, 80u);
  EXPECT_EQ(found.moving + found.unclear, 920u);
  for (const auto& [always, with_times] : {std::pair{50u, 50u}, {100u, 0u}, {0u, 100u}}) {
    const Numbers none(spread(rows(always, with_times), 100, 0));
    EXPECT_EQ(none.always, 0u);
    EXPECT_EQ(none.moving + none.unclear, 100u);
  }
}

TEST(Seeds, WithoutTimesKeepTheirPlacesIfFewMayLiveAlways) {
  const Seeds seeds = spread(rows(400, 0), 400, 30);
  std::set<double> places;
  double first = 400, last = 0, earliest_s = kTimes.duration_s, latest_s = 0;
  for (std::size_t i = 0; i < seeds.positions.size(); ++i) {
    places.insert(seeds.positions[i].x);
    if (std::isnan(seeds.times_s[i])) {
      first = std::min(first, seeds.positions[i].x);
      last = std::max(last, seeds.positions[i].x);
    } else {
      earliest_s = std::min(earliest_s, seeds.times_s[i]);
      latest_s = std::max(latest_s, seeds.times_s[i]);
    }
  }
  EXPECT_EQ(places.size(), 400u);
  EXPECT_LT(first, 20) << "those that live always are spread evenly";
  EXPECT_GT(last, 380);
  EXPECT_LT(earliest_s, 0);
  EXPECT_GT(latest_s, kTimes.duration_s);
}

TEST(Seeds, AsFewAsOneFillUpTheSplats) {
  for (const std::size_t count : {1u, 2u, 7u}) {
    EXPECT_EQ(Numbers(spread(rows(1, 0), count)).always, count > 1 ? 1u : 0u) << count;
    EXPECT_EQ(Numbers(spread(rows(0, 1), count)).always, 0u) << count;
    EXPECT_EQ(Numbers(spread(rows(1, 1), count)).always, count > 2 ? 3u : 1u) << count;
  }
}

TEST(Seeds, AreSpreadAlikeByTheSameRandomNumbers) {
  const auto values = [](const Seeds& seeds) {
    std::vector<std::tuple<double, double, double>> all;
    for (const glm::dvec3& place : seeds.positions) all.emplace_back(place.x, place.y, place.z);
    return all;
  };
  EXPECT_EQ(values(spread(rows(600, 200), 500)), values(spread(rows(600, 200), 500)));
  EXPECT_EQ(values(spread(rows(60, 20), 500)), values(spread(rows(60, 20), 500)));
}

TEST(Seeds, AreAddedBesideOthers) {
  const Seeds seeds = spread(rows(600, 200), 1000);
  for (std::size_t i = 0; i < seeds.positions.size(); ++i) {
    const glm::dvec3 place = seeds.positions[i];
    // Neighbours in a row are one to two units away.
    EXPECT_LT(std::abs(place.z), 12) << i;
    EXPECT_LT(std::isnan(seeds.times_s[i]) ? std::abs(place.y) : std::abs(place.x), 12) << i;
    EXPECT_EQ(seeds.velocities[i].z != 0, seeds.move[i]) << i;
  }
}

TEST(Seeds, AsManyAsUsualHaveRoomForAllThatMayMove) {
  EXPECT_EQ(usual_count(600, 0, 100), 600u);
  EXPECT_EQ(usual_count(600, 0, 1000), 1000u);
  EXPECT_EQ(usual_count(100000, 70, 90), 200u) << "what stands still is seen several times";
  EXPECT_EQ(usual_count(0, 70, 900), 900u);
  EXPECT_EQ(usual_count(0, 70, 9), 70u) << "nothing stands still";
  for (std::size_t with_times = 1; with_times < 300; ++with_times) {
    const std::size_t count = usual_count(9, with_times, 1);
    const Numbers found(spread(rows(9, with_times), count));
    EXPECT_EQ(found.moving + found.unclear, count - found.always);
    EXPECT_GE(found.moving + found.unclear, with_times);
  }
}

}  // namespace
}  // namespace mote
