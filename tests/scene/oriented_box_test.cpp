#include "scene/oriented_box.h"

#include <gtest/gtest.h>

#include <glm/geometric.hpp>
#include <limits>

namespace mote {
namespace {

const OrientedBox kBox{.center = {1, -2, 0.5},
                       .half_size = {0.5, 1, 2},
                       .rotation = rotation_about_axes({0.4, -0.3, 0.9})};

/// A point by coordinates along the box's axes from its center.
glm::dvec3 at(double x, double y, double z) {
  return kBox.center + kBox.rotation * glm::dvec3(x, y, z);
}

TEST(SignedDistance, IsTheDistanceToTheNearestPointOfTheSurface) {
  EXPECT_NEAR(signed_distance(kBox, at(0, 0, 0)), -0.5, 1e-12);
  EXPECT_NEAR(signed_distance(kBox, at(0.2, 0.9, 0)), -0.1, 1e-12);
  EXPECT_NEAR(signed_distance(kBox, at(-0.5, 0.5, 1)), 0, 1e-12);
  EXPECT_NEAR(signed_distance(kBox, at(0, 0, -3)), 1, 1e-12);
  EXPECT_NEAR(signed_distance(kBox, at(3.5, 5, 2)), 5, 1e-12) << "from an edge";
}

TEST(CutToBox, LeavesThePartOfTheRayInTheBox) {
  const glm::dvec3 from = at(-3, 0.5, 1), to = at(3, -0.5, 1);
  const glm::dvec3 direction = glm::normalize(to - from);
  double t = 0, t_end = 100;
  cut_to_box(kBox, from, direction, t, t_end);
  for (const double end : {t, t_end}) {
    EXPECT_NEAR(signed_distance(kBox, from + end * direction), 0, 1e-12);
  }
  EXPECT_LT(t, t_end);
  EXPECT_LT(signed_distance(kBox, from + 0.5 * (t + t_end) * direction), -0.1);
  double inside = 0, inside_end = 100;
  cut_to_box(kBox, kBox.center, direction, inside, inside_end);
  EXPECT_EQ(inside, 0) << "a ray starts at its origin";
}

TEST(CutToBox, ARayBesideTheBoxHasNoPart) {
  for (const glm::dvec3& along : {kBox.rotation[0], kBox.rotation * glm::dvec3(1, 0.01, 0)}) {
    double t = 0, t_end = std::numeric_limits<double>::max();
    cut_to_box(kBox, at(-3, 1.5, 0), glm::normalize(along), t, t_end);
    EXPECT_LT(t_end, t);
  }
  OrientedBox straight = kBox;
  straight.rotation = glm::dmat3(1);
  double t = 0, t_end = 100;
  cut_to_box(straight, {1, 2, 0}, {0, 0, 1}, t, t_end);
  EXPECT_LT(t_end, t) << "parallel to its faces";
}

}  // namespace
}  // namespace mote
