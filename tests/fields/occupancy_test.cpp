// The occupancy grid against its definition by coordinates.
#include "fields/occupancy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "cameras/camera_ray.h"
#include "cameras/lens_rays.h"
#include "cameras/shutter_motion.h"
#include "fields/occupancy_views.h"
#include "math/counter_random.h"

namespace mote {
namespace {

constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();

std::uint32_t plain_index(OccupancyCell cell) {
  std::uint32_t index = 0;
  for (int bit = 0; bit < kOccupancyBitsPerAxis; ++bit) {
    index |= (cell.x >> bit & 1) << (3 * bit) | (cell.y >> bit & 1) << (3 * bit + 1) |
             (cell.z >> bit & 1) << (3 * bit + 2);
  }
  return index;
}

/// Mostly empty. Few cells are above the threshold.
OccupancyDensities random_densities(int cascades, std::uint32_t seed) {
  std::mt19937 random(seed);
  OccupancyDensities densities{cascades, {}};
  densities.values.resize(static_cast<std::size_t>(cascades) * kOccupancyCells);
  for (float& density : densities.values) {
    const auto bits = static_cast<std::uint32_t>(random());
    const float unit = static_cast<float>(bits >> 8) * 0x1p-24f;
    density = bits % 16 == 0 ? kUnseenDensity : unit < 0.002f ? 0.5f : 0.001f * unit;
  }
  return densities;
}

std::size_t value_index(int cascade, OccupancyCell cell) {
  return static_cast<std::size_t>(cascade) * kOccupancyCells + plain_index(cell);
}

/// The rule of a bit by coordinates: a cell's own density, or a finer cell in its place.
bool plain_occupied(const OccupancyDensities& densities, float threshold, int cascade,
                    OccupancyCell cell) {
  if (densities.values[value_index(cascade, cell)] > threshold) return true;
  if (cascade == 0) return false;
  for (std::uint32_t part = 0; part < 8; ++part) {
    // The finer cell with its corner at the coarser cell's, from the centre of the cubes.
    const auto finer = [&](std::uint32_t x, std::uint32_t axis) {
      return 2 * (x - 64) + 64 + (part >> axis & 1);
    };
    const OccupancyCell child{finer(cell.x, 0), finer(cell.y, 1), finer(cell.z, 2)};
    if (child.x >= 128 || child.y >= 128 || child.z >= 128) continue;
    if (plain_occupied(densities, threshold, cascade - 1, child)) return true;
  }
  return false;
}

template <class Visit>
void for_each_cell(const Visit& visit) {
  for (std::uint32_t z = 0; z < 128; ++z) {
    for (std::uint32_t y = 0; y < 128; ++y) {
      for (std::uint32_t x = 0; x < 128; ++x) visit(OccupancyCell{x, y, z});
    }
  }
}

TEST(OccupancyCells, AreInMortonOrder) {
  for_each_cell([](OccupancyCell cell) {
    ASSERT_EQ(cell_index(cell), plain_index(cell));
    ASSERT_EQ(cell_of(cell_index(cell)), cell);
  });
}

std::uint32_t number_of(int cascade, OccupancyCell cell) {
  return static_cast<std::uint32_t>(cell_number(cascade, cell));
}

TEST(OccupancyBits, AreThoseAboveTheThresholdOrOccupiedInAFinerCascade) {
  const OccupancyDensities densities = random_densities(3, 1);
  const float threshold = occupancy_threshold(densities);
  const OccupancyBits bits(densities);
  const OccupancyView view = bits;
  std::size_t occupied = 0;
  for (int cascade = 0; cascade < 3; ++cascade) {
    for_each_cell([&](OccupancyCell cell) {
      const bool expected = plain_occupied(densities, threshold, cascade, cell);
      const Vec3<float> center =
          cell_position(static_cast<std::uint32_t>(value_index(cascade, cell)), {0.5f, 0.5f, 0.5f});
      ASSERT_EQ(bits.occupied(center, cascade), expected);
      ASSERT_EQ(empty_side(view, number_of(cascade, cell)) == 0, expected);
      occupied += expected;
    });
  }
  EXPECT_GT(occupied, 10000u);
  EXPECT_LT(occupied, kOccupancyCells);
}

/// The number of the aligned cube of this side that has the cell.
std::size_t cube_number(OccupancyCell cell, std::uint32_t side) {
  const std::uint32_t cubes = 128 / side;
  return ((cell.z / side) * cubes + cell.y / side) * cubes + cell.x / side;
}

TEST(OccupancyBits, KnowTheLargestEmptyCubes) {
  OccupancyDensities densities = random_densities(1, 2);
  std::map<std::uint32_t, std::set<std::size_t>> filled;  // cubes, by their side
  for_each_cell([&](OccupancyCell cell) {
    float& density = densities.values[plain_index(cell)];
    if (density < 0.4f || cell.x >= 48 || (cell.y / 4 + cell.z / 4) % 2 == 0) density = 0;
    if (density == 0) return;
    for (const std::uint32_t side : {2u, 4u, 8u, 16u}) filled[side].insert(cube_number(cell, side));
  });
  const OccupancyBits bits(densities);
  std::array<int, 17> found{};
  for_each_cell([&](OccupancyCell cell) {
    std::uint32_t expected = densities.values[plain_index(cell)] == 0 ? 1 : 0;
    for (const auto& [side, cubes] : filled) {
      if (!cubes.contains(cube_number(cell, side))) expected = side;
    }
    ASSERT_EQ(empty_side<std::uint32_t>(bits, number_of(0, cell)), expected);
    ++found.at(expected);
  });
  for (const std::size_t side : {0u, 1u, 2u, 4u, 8u, 16u}) EXPECT_GT(found[side], 500) << side;
}

TEST(OccupancyBits, AreFalseOutsideOfTheCube) {
  OccupancyDensities densities{2, std::vector<float>(2 * kOccupancyCells, 1.0f)};
  const OccupancyBits bits(densities);
  EXPECT_TRUE(bits.occupied({0, 0.999f, 0.5f}, 0));
  EXPECT_FALSE(bits.occupied({-0.001f, 0.5f, 0.5f}, 0));
  EXPECT_FALSE(bits.occupied({0.5f, 1.0f, 0.5f}, 0));
  EXPECT_FALSE(bits.occupied({0.5f, 0.5f, kNotANumber}, 0));
  EXPECT_TRUE(bits.occupied({-0.499f, 1.499f, 0.5f}, 1));
  EXPECT_FALSE(bits.occupied({-0.501f, 0.5f, 0.5f}, 1));
}

TEST(CoarseDensities, AreWithinAnEighthBelow) {
  for (float density = 0x1p-12f; density < 0x1p19f; density *= 1.013f) {
    const float coarse = coarse_density(coarse_density_code(density));
    ASSERT_LE(coarse, density);
    ASSERT_GT(coarse, density / 1.125f);
  }
}

TEST(CoarseDensities, EndAtTheirBounds) {
  for (const float low : {-1.0f, 0.0f, 1e-20f, 0x1p-12f, std::nanf("")}) {
    EXPECT_EQ(coarse_density(coarse_density_code(low)), 0x1p-12f);
  }
  for (const float high : {0x1.ep19f, 1e30f, std::numeric_limits<float>::infinity()}) {
    EXPECT_EQ(coarse_density(coarse_density_code(high)), 0x1.ep19f);
  }
}

TEST(OccupancyThreshold, IsTheMeanWithUnseenCellsAsEmptyOnesButAtMostOneHundredth) {
  OccupancyDensities densities{2, std::vector<float>(2 * kOccupancyCells, 0.0f)};
  for (std::size_t i = 0; i < kOccupancyCells; ++i) {
    densities.values[i] = i % 4 == 0 ? kUnseenDensity : i % 4 == 1 ? 0.006f : 0.0f;
    densities.values[kOccupancyCells + i] = 100;
  }
  EXPECT_NEAR(occupancy_threshold(densities), 0.0015f, 1e-8f);
  densities.values[2] = kNotANumber;
  EXPECT_NEAR(occupancy_threshold(densities), 0.0015f, 1e-8f);
  densities.values[1] = 1e6f;
  EXPECT_EQ(occupancy_threshold(densities), 0.01f);
  std::fill(densities.values.begin(), densities.values.end(), kUnseenDensity);
  EXPECT_EQ(occupancy_threshold(densities), 0);
}

TEST(OccupancyUpdate, DecaysAllCellsAndRaisesMeasuredOnes) {
  OccupancyDensities densities{1, std::vector<float>(kOccupancyCells, 2.0f)};
  densities.values[7] = kUnseenDensity;
  const std::vector<std::uint32_t> cells{3, 4, 5, 5, 6, 7};
  const std::vector<float> measured{1.0f, 5.0f, 8.0f, 3.0f, kNotANumber, 9.0f};
  update_densities(cells, measured, 0.5f, densities);
  EXPECT_EQ(densities.values[2], 1.0f);
  EXPECT_EQ(densities.values[3], 1.0f);
  EXPECT_EQ(densities.values[4], 5.0f);
  EXPECT_EQ(densities.values[5], 8.0f);
  EXPECT_EQ(densities.values[6], 1.0f);
  EXPECT_EQ(densities.values[7], kUnseenDensity);
}

TEST(RandomCells, DependOnSeedAndStepOnly) {
  const OccupancyDensities densities = random_densities(2, 3);
  const CellCounts counts{500, 300};
  const auto cells = random_cells(densities, counts, 4, 10);
  EXPECT_EQ(random_cells(densities, counts, 4, 10), cells);
  EXPECT_NE(random_cells(densities, counts, 4, 11), cells);
  EXPECT_NE(random_cells(densities, counts, 5, 10), cells);
}

TEST(RandomCells, AreOfAllSeenCellsAndOfOccupiedOnes) {
  const OccupancyDensities densities = random_densities(2, 3);
  constexpr std::size_t kUniform = 40000, kOccupied = 3000;
  const auto cells = random_cells(densities, {kUniform, kOccupied}, 4, 10);
  std::array<double, 2> occupied{}, all{}, octant{};
  for (const std::uint32_t cell : cells) {
    const std::size_t cascade = cell / kOccupancyCells;
    ASSERT_GE(densities.values.at(cell), 0);
    if (densities.values[cell] > kOccupiedDensity) {
      ++occupied.at(cascade);
    } else if (cell % kOccupancyCells < kOccupancyCells / 8) {
      ++octant.at(cascade);
    }
    ++all.at(cascade);
  }
  for (std::size_t cascade = 0; cascade < 2; ++cascade) {
    // A sixteenth is unseen; 0.2 % are occupied.
    EXPECT_NEAR(all[cascade], kUniform * 15 / 16 + kOccupied, 300);
    EXPECT_NEAR(occupied[cascade], kOccupied + kUniform * 0.002, 50);
    EXPECT_NEAR(octant[cascade], kUniform * 15 / 16 / 8, 400);
  }
}

TEST(RandomCells, AreUniformWhereNothingIsOccupied) {
  const OccupancyDensities densities{1, std::vector<float>(kOccupancyCells, 0.0f)};
  EXPECT_EQ(random_cells(densities, {100, 50}, 1, 1).size(), 150u);
  const auto uniform = random_cells(densities, {0, 1000}, 1, 1);
  EXPECT_GT(std::set<std::uint32_t>(uniform.begin(), uniform.end()).size(), 990u);
}

TEST(SeenCells, AreAllWithoutThoseMarkedAsUnseen) {
  OccupancyDensities densities{2, std::vector<float>(2 * kOccupancyCells, 0.0f)};
  densities.values[5] = kUnseenDensity;
  const auto cells = seen_cells(densities);
  ASSERT_EQ(cells.size(), 2 * kOccupancyCells - 1);
  EXPECT_EQ(cells[4], 4u);
  EXPECT_EQ(cells[5], 6u);
}

TEST(CellPositions, AreInTheirCell) {
  std::mt19937_64 random(8);
  for (int trial = 0; trial < 1000; ++trial) {
    const auto cell = static_cast<std::uint32_t>(random() % (8 * kOccupancyCells));
    const Vec3<float> place = random_place(random());
    for (const float x : {place.x, place.y, place.z}) ASSERT_TRUE(x > 0 && x < 1);
    const int cascade = static_cast<int>(cell / kOccupancyCells);
    const Vec3<float> at = position_in_cells(cell_position(cell, place), cells_per_unit(cascade));
    const OccupancyCell expected = cell_of(cell % kOccupancyCells);
    EXPECT_NEAR(at.x, static_cast<float>(expected.x) + place.x, 1e-4f);
    EXPECT_NEAR(at.y, static_cast<float>(expected.y) + place.y, 1e-4f);
    EXPECT_NEAR(at.z, static_cast<float>(expected.z) + place.z, 1e-4f);
  }
}

/// A camera at `position` that looks along `axis` 0, 1 or 2 in the direction of `sign`.
CameraFloats camera_along(int axis, float sign, Vec3<float> position, float scale) {
  CameraFloats camera{};
  for (int row = 0; row < 3; ++row) {
    const int column = (axis + 1 + row) % 3;
    camera.cam_from_world[3 * row + column] = scale * (row == 2 ? sign : row == 0 ? sign : 1);
  }
  const float p[3] = {position.x, position.y, position.z};
  for (int row = 0; row < 3; ++row) {
    const float* m = camera.cam_from_world + 3 * row;
    camera.translation[row] = -(m[0] * p[0] + m[1] * p[1] + m[2] * p[2]);
  }
  camera.focal_x = 400;
  camera.focal_y = 500;
  camera.center_x = 150;
  camera.center_y = 130;
  camera.width = 320;
  camera.height = 240;
  camera.scale = scale;
  return camera;
}

/// The distance in pixels by which a point is inside of the image, negative outside.
double pixels_inside(const CameraFloats& camera, Vec3<float> point) {
  const double p[3] = {static_cast<double>(point.x), static_cast<double>(point.y),
                       static_cast<double>(point.z)};
  double cam[3];
  for (std::size_t row = 0; row < 3; ++row) {
    cam[row] = static_cast<double>(camera.translation[row]);
    for (std::size_t i = 0; i < 3; ++i) {
      cam[row] += static_cast<double>(camera.cam_from_world[3 * row + i]) * p[i];
    }
  }
  if (cam[2] <= 0) return -1e9;
  const double x =
      static_cast<double>(camera.focal_x) * cam[0] / cam[2] + static_cast<double>(camera.center_x);
  const double y =
      static_cast<double>(camera.focal_y) * cam[1] / cam[2] + static_cast<double>(camera.center_y);
  return std::min(std::min(x, static_cast<double>(camera.width) - x),
                  std::min(y, static_cast<double>(camera.height) - y));
}

TEST(UnseenCells, AreThoseWithoutAPointInAnImage) {
  const std::vector<CameraFloats> cameras{camera_along(0, 1, {-0.5f, 0.4f, 0.6f}, 1),
                                          camera_along(1, -1, {0.3f, 0.9f, 0.2f}, 1),
                                          camera_along(2, 1, {0.7f, 0.7f, 0.31f}, 2)};
  OccupancyDensities densities{2, std::vector<float>(2 * kOccupancyCells, 0.0f)};
  for (std::size_t i = 0; i < densities.values.size(); ++i) {
    densities.values[i] = i % 3 == 0 ? kUnseenDensity : 0.25f;
  }
  std::vector<SeenView> views;
  for (const CameraFloats& camera : cameras) views.push_back({camera});
  mark_unseen_cells(views, densities);
  std::size_t seen = 0, unclear = 0;
  for (std::uint32_t cell = 0; cell < densities.values.size(); cell += 5) {
    double inside = -1e9;
    for (int point = 0; point < 9; ++point) {
      const auto share = [&](int axis) {
        return point == 8 ? 0.5f : static_cast<float>(point >> axis & 1);
      };
      for (const CameraFloats& camera : cameras) {
        inside = std::max(
            inside, pixels_inside(camera, cell_position(cell, {share(0), share(1), share(2)})));
      }
    }
    if (std::abs(inside) < 0.01) {
      ++unclear;
      continue;
    }
    const float expected = inside < 0 ? kUnseenDensity : cell % 3 == 0 ? 0.0f : 0.25f;
    ASSERT_EQ(densities.values[cell], expected) << cell;
    seen += inside > 0;
  }
  EXPECT_GT(seen, 30000u);
  EXPECT_LT(seen, 800000u);
  EXPECT_LT(unclear, 1000u);
}

/// Whether a ray of the camera passes within a cell's size of the middle of the cell.
bool shows_cell(const Camera& camera, std::uint32_t cell) {
  const Vec3<float> p = cell_position(cell, {0.5f, 0.5f, 0.5f});
  const auto px = pixel_of(camera, {p.x, p.y, p.z});
  return px && px->x >= 0 && px->y >= 0 && px->x <= camera.width && px->y <= camera.height;
}

TEST(UnseenCells, OfLensesAndMovingCamerasAreNoneThatTheCameraShowsAndMostOthers) {
  struct Case {
    const char* name;
    Lens lens;
    double focal_px, most_extra;  // most_extra: share of the cells that are marked seen in vain
  };
  for (const Case& one : {Case{"opencv", {LensKind::brown, {-0.1, 0.02}}, 60, 0.06},
                          Case{"fisheye", {LensKind::fisheye, {0.01}}, 30, 0.3},
                          Case{"panorama", {LensKind::equirectangular, {}}, 10, 0}}) {
    Camera camera;
    camera.width = 80;
    camera.height = 60;
    camera.focal_px = glm::dvec2(one.focal_px);
    camera.center_px = {40, 30};
    if (is_panorama(one.lens))
      camera.focal_px = {80 / (2 * 3.14159265358979), 60 / 3.14159265358979};
    look_at(camera, {0.2, 0.4, 0.3}, {0.6, 0.5, 0.7}, {0, 0, 1});
    camera.lens = std::make_shared<const LensRays>(camera, one.lens, "test");
    camera.motion = std::make_shared<const ShutterMotion>(
        ShutterMotion{{0.02, -0.03, 0.01}, {0.05, -0.02, 0.03}, 0, 1, 0});
    OccupancyDensities densities{1, std::vector<float>(kOccupancyCells, 0.25f)};
    mark_unseen_cells(seen_views(camera), densities);
    std::size_t cells = 0, extra = 0;
    for (std::uint32_t cell = 0; cell < kOccupancyCells; cell += 37) {
      const bool is_seen = densities.values[cell] != kUnseenDensity;
      const bool is_shown = shows_cell(camera, cell);
      ASSERT_TRUE(is_seen || !is_shown) << one.name << ' ' << cell;
      ++cells;
      extra += is_seen && !is_shown ? 1 : 0;
    }
    EXPECT_LE(static_cast<double>(extra), one.most_extra * static_cast<double>(cells)) << one.name;
  }
}

TEST(UnseenCells, AreAllWithoutCameras) {
  OccupancyDensities densities{1, std::vector<float>(kOccupancyCells, 0.5f)};
  mark_unseen_cells({}, densities);
  EXPECT_EQ(std::count(densities.values.begin(), densities.values.end(), kUnseenDensity),
            static_cast<std::ptrdiff_t>(kOccupancyCells));
}

}  // namespace
}  // namespace mote
