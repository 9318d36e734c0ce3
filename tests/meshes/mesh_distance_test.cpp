// Distances to meshes against all triangles in double, and signs of meshes with faults.
#include "meshes/mesh_distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <random>

#include "support/ball_mesh.h"

namespace mote {
namespace {

/// Distance from `p` to the segment.
double to_segment(const glm::dvec3& p, const glm::dvec3& a, const glm::dvec3& b) {
  const double t = std::clamp(glm::dot(p - a, b - a) / glm::dot(b - a, b - a), 0.0, 1.0);
  return glm::distance(p, a + t * (b - a));
}

/// Distance from `p` to the triangle, by its plane where the foot lies inside, else by its sides.
double to_triangle(const glm::dvec3& p, const glm::dvec3& a, const glm::dvec3& b,
                   const glm::dvec3& c) {
  const glm::dvec3 normal = glm::normalize(glm::cross(b - a, c - a));
  const double height = glm::dot(p - a, normal);
  const glm::dvec3 foot = p - height * normal;
  const auto is_left = [&](const glm::dvec3& from, const glm::dvec3& to) {
    return glm::dot(glm::cross(to - from, foot - from), normal) >= 0;
  };
  if (is_left(a, b) && is_left(b, c) && is_left(c, a)) return std::abs(height);
  return std::min({to_segment(p, a, b), to_segment(p, b, c), to_segment(p, c, a)});
}

double to_mesh(const TriangleMesh& mesh, const glm::vec3& p) {
  double least = 1e30;
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    least =
        std::min(least, to_triangle(p, mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2)));
  }
  return least;
}

class RandomPoints {
 public:
  glm::vec3 in_cube(float half) { return half * glm::vec3(draw(), draw(), draw()); }

 private:
  float draw() { return static_cast<float>(random_() >> 8) * 0x1p-23f - 1; }
  std::mt19937 random_{4};
};

TEST(MeshDistance, IsThatOfTheNearestOfAllTriangles) {
  TriangleMesh mesh = ball_mesh(9);
  RandomPoints random;
  for (glm::vec3& position : mesh.positions) position += 0.1f * random.in_cube(1);  // uneven
  const MeshDistance distance(mesh);
  for (int i = 0; i < 2000; ++i) {
    const glm::vec3 point = random.in_cube(i % 10 == 0 ? 8 : 1.5f);
    const double wanted = to_mesh(mesh, point);
    ASSERT_NEAR(distance.distance(point), wanted, 1e-5 * (1 + wanted));
    ASSERT_NEAR(distance.distance(point, static_cast<float>(wanted)), wanted, 1e-5 * (1 + wanted));
  }
}

TEST(MeshDistance, IsNegativeInsideOfAClosedMesh) {
  const MeshDistance distance(ball_mesh(40));
  RandomPoints random;
  for (int i = 0; i < 5000; ++i) {
    const glm::vec3 point = random.in_cube(1.4f);
    const float radius = glm::length(point);
    if (std::abs(radius - 1) < 0.005f) continue;  // the ball has flat faces
    ASSERT_EQ(distance.signed_distance(point) < 0, radius < 1) << radius;
    ASSERT_NEAR(distance.signed_distance(point), radius - 1, 0.005);
    ASSERT_NEAR(distance.winding_number(point), radius < 1 ? 1 : 0, 0.2);
  }
}

TEST(MeshDistance, HasASensibleInsideWithAHoleAndWithTurnedTriangles) {
  const MeshDistance open(ball_mesh(30, 5));
  EXPECT_LT(open.signed_distance({0, 0, 0}), 0);
  EXPECT_LT(open.signed_distance({0, 0, -0.9f}), 0);
  EXPECT_GT(open.signed_distance({0, 0, 1.2f}), 0) << "above the hole";
  EXPECT_GT(open.signed_distance({1.1f, 0, 0}), 0);
  TriangleMesh turned = ball_mesh(30);
  for (std::size_t t = 0; t < turned.triangles.size(); t += 20) {
    std::swap(turned.triangles[t][0], turned.triangles[t][1]);
  }
  const MeshDistance distance(turned);
  EXPECT_LT(distance.signed_distance({0.3f, 0.2f, 0}), 0);
  EXPECT_GT(distance.signed_distance({1.2f, 0.2f, 0}), 0);
}

TEST(MeshDistance, WorksForASingleTriangleAndForEqualOnes) {
  TriangleMesh mesh;
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  mesh.triangles = {{0, 1, 2}};
  EXPECT_NEAR(MeshDistance(mesh).distance({0.2f, 0.2f, 3}), 3, 1e-5);
  mesh.triangles.assign(1000, {0, 1, 2});
  EXPECT_NEAR(MeshDistance(mesh).distance({2, 0, 0}), 1, 1e-5);
}

}  // namespace
}  // namespace mote
