// Velocities of splats that are born where a picture has errors.
#include <gtest/gtest.h>

#include <glm/vec3.hpp>
#include <vector>

#include "train/splats/births.h"

namespace mote {
namespace {

TEST(VelocitiesOfBirths, AreThoseOfTheNearestSplatsThatLiveThen) {
  std::vector<SplatGeometry> geometry;
  std::vector<MotionValues> motions;
  // Two groups, and a third one near the second that lives at another time.
  for (int i = 0; i < 15; ++i) {
    SplatGeometry splat{};
    MotionValues motion{};
    const int group = i / 5;
    motion[Field::time_mean] = group == 2 ? 9.0f : 1.0f;
    motion[Field::log_time_sigma] = -2;
    motion[Field::log_time_plateau] = -3;
    motion[Field::velocity_x] = group == 0 ? 1.0f : 5.0f;
    motion[Field::quadratic_y] = group == 0 ? 2.0f : 0.0f;
    motion[Field::cubic_z] = group == 0 ? 1.0f : 0.0f;
    splat.mean[0] = group == 0 ? 0.0f : 10.0f;
    splat.mean[1] = 0.01f * static_cast<float>(i);
    splat.logit_opacity = 2;
    if (group == 2) motion[Field::velocity_x] = 100;
    geometry.push_back(splat);
    motions.push_back(motion);
  }
  const DensityStatistics none;
  const SplatsToRelocate splats{
      .geometry = geometry, .motions = motions, .statistics = none, .broken = {}};
  const std::vector<glm::dvec3> places{{1, 0, 0}, {9, 0, 0}};
  const std::vector<glm::dvec3> found = velocities_near(places, 1.1, splats);
  EXPECT_NEAR(found[0].x, 1, 1e-6);
  EXPECT_NEAR(found[0].y, 2 * 2 * 0.1, 1e-6) << "the slope of the curve at that time";
  EXPECT_NEAR(found[0].z, 3 * 0.1 * 0.1, 1e-6);
  EXPECT_NEAR(found[1].x, 5, 1e-6);
  EXPECT_EQ(velocities_near(places, 20, splats)[0], glm::dvec3(0)) << "nothing lives then";
}

}  // namespace
}  // namespace mote
