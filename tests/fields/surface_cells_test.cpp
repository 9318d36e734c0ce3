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
};

struct Load {
  const float* distances = nullptr;

  float operator()(std::uint32_t at) const { return distances[at]; }
};

/// Distances of the cells, and of the parts of those near the surface if `has_parts`.
class Tables {
 public:
  Tables(const Shape& shape, bool has_parts) : has_parts_(has_parts) {
    for (std::uint32_t cell = 0; cell < kCells * kCells * kCells; ++cell) {
      cells_.push_back(shape.distance(middle_of_cell(cell, kCells)));
      const bool is_near = is_near_surface<float>(cells_.back(), kCells);
      first_parts_.push_back(is_near ? static_cast<std::uint32_t>(parts_.size()) : kNoParts);
      for (std::uint32_t part = 0; is_near && part < kCellParts; ++part) {
        parts_.push_back(shape.distance(middle_of_part({cell, part}, kCells)));
      }
    }
  }
  SurfaceTable<Load> table() const {
    return {kCells, {cells_.data()}, has_parts_ ? first_parts_.data() : nullptr, {parts_.data()}};
  }

 private:
  bool has_parts_;
  std::vector<float> cells_, parts_;
  std::vector<std::uint32_t> first_parts_;
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
    for (const bool has_parts : {false, true}) {
      const Tables tables(shape, has_parts);
      float most = 0, least = 1;
      for (int i = 0; i < 20000; ++i) {
        const Vec3<float> at = point(0, 1);
        float bound = 0;
        const bool is_far = is_far_at(at, tables.table(), 0, bound);
        ASSERT_LT(bound, shape.distance(at));
        EXPECT_EQ(is_far_at(at, tables.table(), 0.1f, bound), is_far && bound > 0.1f);
        if (!is_far) continue;
        most = std::max(most, bound);
        least = std::min(least, shape.distance(at));
      }
      EXPECT_GT(most, 0.1f) << "some bounds are worth a step";
      EXPECT_LT(least * kCells, has_parts ? 0.5f : 2) << "rays come near to the surface";
    }
  }
}

TEST_F(SurfaceCells, InterpolateAPlaneExactly) {
  const Shape shape{.is_ball = false};
  const Tables tables(shape, true);
  int known = 0;
  for (int i = 0; i < 5000; ++i) {
    const Vec3<float> at = point(0.5f / kCells, 1 - 0.55f / kCells);
    float distance = 0;
    if (!is_known_at(at, tables.table(), distance)) continue;
    ++known;
    ASSERT_NEAR(distance, shape.distance(at), 1e-5f);
  }
  EXPECT_GT(known, 500);
}

TEST_F(SurfaceCells, TellLightDistancesWithinAFifthOfACell) {
  const Shape shape{.is_ball = true};
  for (const bool has_parts : {false, true}) {
    const Tables tables(shape, has_parts);
    const float across = has_parts ? kCells * kCellSide : kCells;
    int known = 0, outside = 0;
    for (int i = 0; i < 20000; ++i) {
      const Vec3<float> at = point(0.02f, 0.97f);
      const float exact = shape.distance(at);
      outside += exact * across > 2.2f;
      float distance = 0;
      if (!is_known_at(at, tables.table(), distance)) continue;
      ++known;
      // Parts are interpolated near the surface only, cells elsewhere.
      ASSERT_NEAR(distance, exact, 0.2f / (exact * kCells < 1.8f ? across : kCells));
    }
    EXPECT_GE(known, outside);
    EXPECT_GT(outside, 5000);
  }
}

TEST_F(SurfaceCells, AreReadFromTheBorderOutside) {
  const Tables tables(Shape{.is_ball = true}, true);
  for (const float out : {-3.0f, 4.0f}) {
    float bound = NAN, distance = NAN;
    EXPECT_FALSE(is_far_at({out, 0.5f, out}, tables.table(), 0, bound)) << "far from all cells";
    EXPECT_TRUE(is_known_at({out, 0.5f, out}, tables.table(), distance));
    EXPECT_TRUE(std::isfinite(bound) && std::isfinite(distance));
  }
}

TEST_F(SurfaceCells, HavePartsInTheirPlaces) {
  for (const unsigned place : {0u, 17u, 4u * kCells - 1}) {
    const unsigned x = place, y = 4u * kCells - 1 - place, z = place / 2;
    const CellPart at = cell_part(x, y, z, kCells);
    const Vec3<float> middle = middle_of_part(at, kCells), cell = middle_of_cell(at.cell, kCells);
    const float parts = 4 * kCells;
    EXPECT_FLOAT_EQ(middle.x, (static_cast<float>(x) + 0.5f) / parts);
    EXPECT_FLOAT_EQ(middle.y, (static_cast<float>(y) + 0.5f) / parts);
    EXPECT_FLOAT_EQ(middle.z, (static_cast<float>(z) + 0.5f) / parts);
    for (const float apart : {middle.x - cell.x, middle.y - cell.y, middle.z - cell.z}) {
      EXPECT_LT(std::abs(apart), 0.5f / kCells);
    }
  }
}

TEST_F(SurfaceCells, AreWorthFindingForLargePicturesOnly) {
  EXPECT_EQ(surface_cells(2048, 3840 * 2160), 128);
  EXPECT_EQ(surface_cells(2048, 640 * 480), 0);
  EXPECT_EQ(surface_cells(40, 640 * 480), 32) << "not finer than the field";
  EXPECT_EQ(surface_cells(4, 32 * 32), 16);
  EXPECT_EQ(most_divided_cells(3840 * 2160), 131072u) << "8 M parts";
  EXPECT_EQ(most_divided_cells(320 * 100), 1000u);
}

}  // namespace
}  // namespace mote
