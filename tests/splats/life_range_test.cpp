// Splats that live always by their plateau.
#include "splats/life_range.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mote {
namespace {

TEST(StaticSplats, MayHaveRoundedPlateaus) {
  MotionValues motion{};
  for (const float log_plateau : {kLeastStaticLogPlateau, 19.985f, kStaticLogPlateau, 21.0f}) {
    EXPECT_TRUE(is_static(log_plateau) && !is_movable(log_plateau)) << log_plateau;
    motion[Field::log_time_plateau] = log_plateau;
    EXPECT_TRUE(life_range(motion, 0.0f).has(1e12)) << log_plateau;
  }
  for (const float log_plateau : {std::nextafter(kLeastStaticLogPlateau, 0.0f), 19.9f, 0.0f}) {
    EXPECT_TRUE(!is_static(log_plateau) && is_movable(log_plateau)) << log_plateau;
    motion[Field::log_time_plateau] = log_plateau;
    EXPECT_FALSE(life_range(motion, 0.0f).has(1e12)) << log_plateau;
  }
  const float unknown = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(!is_static(unknown) && !is_movable(unknown));
}

}  // namespace
}  // namespace mote
