#include "fields/error_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/error.h"
#include "math/counter_random.h"
#include "support/fake_training.h"

namespace mote {
namespace {

PhotoPlace uniform_place(std::uint64_t number) {
  const auto share = [&](std::uint64_t use) {
    return static_cast<float>(random_bits(7 + use, number) >> 40) * 0x1p-24f;
  };
  return {share(0), share(1)};
}

/// Adds the errors `error(photograph, place)` of many uniform places, in as many steps as lead to
/// the first chances.
template <class Error>
void learn(ErrorMap& map, const Error& error) {
  for (std::uint64_t step = 0; step < kFirstErrorSteps; ++step) {
    for (std::size_t photograph = 0; photograph < map.photographs(); ++photograph) {
      for (std::uint64_t i = 0; i < 100; ++i) {
        const PhotoPlace place = uniform_place(step * 100 + i);
        map.add(photograph, place, error(photograph, place));
      }
    }
    map.end_step();
  }
}

/// The share of random places for which `inside(place)` holds.
template <class Inside>
double share_of_places(const ErrorMap& map, std::size_t photograph, const Inside& inside) {
  constexpr int kPlaces = 100000;
  int count = 0;
  for (int i = 0; i < kPlaces; ++i) {
    const PhotoPlace place = map.place(photograph, random_bits(3, static_cast<std::uint64_t>(i)));
    EXPECT_TRUE(place.x >= 0 && place.x < 1 && place.y >= 0 && place.y < 1);
    count += inside(place) ? 1 : 0;
  }
  return count / double{kPlaces};
}

bool is_left(PhotoPlace place) {
  return place.x < 0.5f;
}

bool is_above(PhotoPlace place) {
  return place.y < 0.25f;
}

TEST(ErrorMap, IsUniformAtFirst) {
  const ErrorMap map(2);
  EXPECT_NEAR(share_of_places(map, 1, is_left), 0.5, 0.01);
  EXPECT_NEAR(share_of_places(map, 1, is_above), 0.25, 0.01);
  EXPECT_EQ(map.chance(0), map.chance(1));
}

TEST(ErrorMap, ChoosesPlacesInProportionToMeanErrors) {
  ErrorMap map(2);
  // The border is that of cells for each even number of them per axis.
  learn(map, [](std::size_t photograph, PhotoPlace place) {
    return (photograph == 0 ? 1.0f : 3.0f) * (is_left(place) ? 4.0f : 1.0f);
  });
  EXPECT_NEAR(share_of_places(map, 0, is_left), 0.8, 0.03);
  EXPECT_NEAR(share_of_places(map, 1, is_left), 0.8, 0.03);
  EXPECT_NEAR(share_of_places(map, 0, is_above), 0.25, 0.02);
  EXPECT_NEAR(map.chance(1) / map.chance(0), 3, 0.01);
}

TEST(ErrorMap, DoesNotCountHowOftenAPlaceWasChosen) {
  ErrorMap map(1);
  for (std::uint64_t step = 0; step < kFirstErrorSteps; ++step) {
    for (std::uint64_t i = 0; i < 200; ++i) {
      PhotoPlace place = uniform_place(step * 200 + i);
      if (i % 4 != 0) place.x *= 0.5f;
      map.add(0, place, 1);
    }
    map.end_step();
  }
  EXPECT_NEAR(share_of_places(map, 0, is_left), 0.5, 0.02);
}

TEST(ErrorMap, KeepsAShareForEveryCell) {
  ErrorMap map(2);
  learn(map, [](std::size_t photograph, PhotoPlace place) {
    return photograph == 0 && is_left(place) ? 1.0f : 0.0f;
  });
  const double right =
      share_of_places(map, 0, [](PhotoPlace place) { return !is_left(place) && place.x > 0.55f; });
  EXPECT_NEAR(right, 0.45 * static_cast<double>(kErrorFloor), 0.002);
  EXPECT_NEAR(share_of_places(map, 1, is_left), 0.5, 0.01) << "a photograph without errors";
  EXPECT_GT(map.chance(1), 0);
  EXPECT_LT(map.chance(1), 0.02f * map.chance(0));
}

TEST(ErrorMap, LearnsAgainAfterHalfAsManyMoreStepsAndForgets) {
  ErrorMap map(1);
  learn(map, [](std::size_t, PhotoPlace place) { return is_left(place) ? 1.0f : 0.0f; });
  for (std::uint64_t i = 0; i < 50000; ++i) {
    const PhotoPlace place = uniform_place(i);
    map.add(0, place, is_left(place) ? 0.0f : 1.0f);
  }
  const std::uint64_t steps = kFirstErrorSteps + kFirstErrorSteps / 2;
  for (std::uint64_t step = 1; step < steps; ++step) map.end_step();
  EXPECT_GT(share_of_places(map, 0, is_left), 0.9);
  map.end_step();
  EXPECT_LT(share_of_places(map, 0, is_left), 0.1);
}

TEST(ErrorMap, IgnoresErrorsThatAreNoNumbers) {
  ErrorMap map(1);
  learn(map, [](std::size_t, PhotoPlace place) { return is_left(place) ? std::nanf("") : 1.0f; });
  EXPECT_NEAR(share_of_places(map, 0, is_left), 0.5, 0.02) << "counts as the mean";
}

TEST(ErrorMap, HasMoreCellsForMoreErrors) {
  EXPECT_EQ(error_map_side(0), 4u);
  EXPECT_EQ(error_map_side(1e30), 128u);
  EXPECT_EQ(error_map_side(10000), 35u);  // 3.5 times the fourth root
  ErrorMap map(1);
  const std::size_t before = map.side();
  learn(map, [](std::size_t, PhotoPlace) { return 1.0f; });
  EXPECT_GT(map.side(), before);
}

TEST(ErrorMap, IsRestoredWhole) {
  ErrorMap map(3);
  learn(map, [](std::size_t, PhotoPlace place) { return place.x; });
  map.add(2, {0.5f, 0.5f}, 1);
  MemoryBytes saved, again;
  map.save(saved);
  MemoryBytes copy = saved;
  ErrorMap other(3);
  other.restore(saved);
  EXPECT_EQ(saved.left(), 0u);
  other.save(again);
  EXPECT_EQ(again.bytes, copy.bytes);
  EXPECT_EQ(other.place(1, 12345).x, map.place(1, 12345).x);
  ErrorMap fewer(2);
  EXPECT_THROW(fewer.restore(copy), Error);
}

}  // namespace
}  // namespace mote
