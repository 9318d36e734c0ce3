// Parts of a moving scene between two times.
#include "splats/time_cut.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <utility>

#include "splats/moment.h"
#include "splats/motions/life.h"
#include "support/random_cloud.h"

namespace mote {
namespace {

TEST(TimeCut, ShowsWhatTheSceneShowsAtItsTimes) {
  const SplatCloud cloud = random_moving_cloud(2000, 1, 9);
  const SplatCloud part = cut_in_time(cloud, 0.5, 1.25);
  EXPECT_DOUBLE_EQ(part.times.duration_s, 0.75);
  EXPECT_DOUBLE_EQ(part.times.frames_per_second, 30);
  EXPECT_LT(part.count(), cloud.count());
  for (const double time_s : {0.0, 0.3, 0.75}) {
    const SplatCloud before = moment_of(cloud, 0.5 + time_s), after = moment_of(part, time_s);
    // Splats at the limits of their lives may be on either side of it.
    ASSERT_NEAR(static_cast<double>(before.count()), static_cast<double>(after.count()), 2);
    std::map<std::pair<float, float>, float> places;  // by harmonics, which differ between splats
    for (std::size_t i = 0; i < after.count(); ++i) {
      places[{after.sh(i, 0, 0), after.sh(i, 0, 1)}] = after.at(i, Field::mean_x);
    }
    std::size_t compared = 0;
    for (std::size_t i = 0; i < before.count(); ++i) {
      const auto place = places.find({before.sh(i, 0, 0), before.sh(i, 0, 1)});
      if (place == places.end()) continue;
      EXPECT_NEAR(place->second, before.at(i, Field::mean_x), 1e-5);
      ++compared;
    }
    EXPECT_GE(compared + 2, before.count());
    EXPECT_GT(compared, 80u);
  }
}

TEST(TimeCut, KeepsLivesThatTouchTheRange) {
  SplatCloud cloud = random_moving_cloud(4, 0, 2);
  for (std::size_t i = 0; i < 4; ++i) {
    cloud.at(i, Field::logit_opacity) = 3;
    cloud.at(i, Field::time_mean) = static_cast<float>(i);
    cloud.at(i, Field::log_time_sigma) = -30;
    cloud.at(i, Field::log_time_plateau) = std::log(0.25f);
  }
  cloud.at(3, Field::log_time_plateau) = kStaticLogPlateau;
  // Lives: -0.25 to 0.25, 0.75 to 1.25, 1.75 to 2.25, always.
  const SplatMask living = living_in(cloud, {1.2, 1.7});
  EXPECT_FALSE(living.test(0));
  EXPECT_TRUE(living.test(1));
  EXPECT_FALSE(living.test(2));
  EXPECT_TRUE(living.test(3));
  EXPECT_EQ(living_in(random_cloud(7, 0, 1), {1, 2}).count(), 7u) << "they have no life";
}

}  // namespace
}  // namespace mote
