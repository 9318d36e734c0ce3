#include "fields/applications/surface_cells.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace mote {
namespace {

constexpr int kCells = 24;

/// The distances of a ball around the middle of the cube, or of a plane.
struct Shape {
  bool is_ball;

  float distance(const Vec3<float>& at) const {
    if (!is_ball) return 0.6f * at.x - 0.8f * at.z + 0.1f;
    const Vec3<float> from = at - Vec3<float>{0.5f, 0.5f, 0.5f};
    return std::sqrt(dot(from, from)) - 0.25f;
  }
  std::vector<float> cells() const {
    std::vector<float> all;
    const auto middle = [](int i) { return (static_cast<float>(i) + 0.5f) / kCells; };
    for (int z = 0; z < kCells; ++z) {
      for (int y = 0; y < kCells; ++y) {
        for (int x = 0; x < kCells; ++x) {
          all.push_back(distance({middle(x), middle(y), middle(z)}));
        }
      }
    }
    return all;
  }
};

class SurfaceCells : public testing::Test {
 protected:
  Vec3<float> point(float low, float high) {
    const auto number = [&] {
      return low + (high - low) * static_cast<float>(random_() >> 8) * 0x1p-24f;
    };
    return {number(), number(), number()};
  }

 private:
  std::mt19937 random_{7};
};

TEST_F(SurfaceCells, HaveBoundsBelowAllDistancesOfACell) {
  for (const bool is_ball : {true, false}) {
    const Shape shape{is_ball};
    const std::vector<float> cells = shape.cells();
    const auto load = [&](unsigned cell) { return cells.at(cell); };
    float most = 0;
    for (int i = 0; i < 20000; ++i) {
      const Vec3<float> at = point(0, 1);
      const float bound = cell_bound(at, kCells, load);
      ASSERT_LT(bound, shape.distance(at));
      most = std::max(most, bound);
    }
    EXPECT_GT(most, 0.1f) << "some bounds are worth a step";
  }
}

TEST_F(SurfaceCells, InterpolateAPlaneExactly) {
  const Shape shape{.is_ball = false};
  const std::vector<float> cells = shape.cells();
  for (int i = 0; i < 2000; ++i) {
    const Vec3<float> at = point(0.5f / kCells, 1 - 0.55f / kCells);
    const float between =
        distance_between_cells(at, kCells, [&](unsigned cell) { return cells.at(cell); });
    ASSERT_NEAR(between, shape.distance(at), 1e-5f);
  }
}

TEST_F(SurfaceCells, TellLightDistancesWithinAFifthOfACell) {
  const Shape shape{.is_ball = true};
  const std::vector<float> cells = shape.cells();
  int known = 0;
  for (int i = 0; i < 20000; ++i) {
    const Vec3<float> at = point(0.02f, 0.97f);
    const float between =
        distance_between_cells(at, kCells, [&](unsigned cell) { return cells.at(cell); });
    if (!is_known_for_light(between, static_cast<float>(kCells))) continue;
    ++known;
    ASSERT_NEAR(between, shape.distance(at), 0.2f / kCells);
  }
  EXPECT_GT(known, 5000);
}

TEST_F(SurfaceCells, AreReadFromTheBorderOutside) {
  const Shape shape{.is_ball = true};
  const std::vector<float> cells = shape.cells();
  const auto load = [&](unsigned cell) { return cells.at(cell); };
  for (const float out : {-3.0f, 4.0f}) {
    EXPECT_TRUE(std::isfinite(distance_between_cells({out, 0.5f, out}, kCells, load)));
    EXPECT_TRUE(std::isfinite(cell_bound({out, 0.5f, out}, kCells, load)));
  }
}

TEST_F(SurfaceCells, AreWorthFindingForLargePicturesOnly) {
  EXPECT_EQ(surface_cells(2048, 3840 * 2160), 128);
  EXPECT_EQ(surface_cells(2048, 640 * 480), 0);
  EXPECT_EQ(surface_cells(40, 640 * 480), 32) << "not finer than the field";
  EXPECT_EQ(surface_cells(4, 32 * 32), 16);
}

}  // namespace
}  // namespace mote
