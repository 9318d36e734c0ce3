// The counts of the kernels of neural fields where they can be found by hand.
#include <gtest/gtest.h>

#include "cuda_host/controls.h"
#include "grid_work.h"
#include "network_work.h"
#include "plane_work.h"
#include "ray_work.h"

namespace mote {
namespace {

/// 256 equal positions: a block of a multiprocessor.
Positions equal_positions() {
  return Positions(256, {0.4f, 0.3f, 0.2f});
}

TEST(FieldWork, OfEqualPositionsIsThatOfOneCell) {
  const GridConfig config{.levels = 1, .base_resolution = 16};
  const GridWork work = grid_work(config, equal_positions());
  // The lowest corner has x = floor(15 * 0.4 + 0.5) = 6: four aligned pairs.
  EXPECT_EQ(work.loads, 4);
  EXPECT_EQ(work.loaded_sectors, 4.0 / 32);
  EXPECT_EQ(work.level_order, 4.0 / 256) << "four rows of the cell, once for all warps";
  EXPECT_EQ(work.position_order, 4.0 / 256);
  EXPECT_EQ(work.adds_of_lanes, 16) << "eight corners with two features";
  EXPECT_EQ(work.adds, 16.0 / 32) << "one for the whole warp";
  EXPECT_EQ(work.fixed_sectors, 16.0 / 32);
}

TEST(FieldWork, OfAnOddCellLoadsItsCornersOneByOne) {
  const GridConfig config{.levels = 1, .base_resolution = 16};
  const GridWork work = grid_work(config, Positions(256, {0.45f, 0.3f, 0.2f}));  // x = 7
  EXPECT_EQ(work.loads, 8);
}

TEST(FieldWork, OfRandomPositionsAddsEachLane) {
  const GridConfig config{.levels = 1, .log2_table_size = 14, .base_resolution = 64};
  const GridWork work = grid_work(config, random_positions(1024), 1);
  EXPECT_EQ(work.adds, work.adds_of_lanes);
  EXPECT_GT(work.level_order, 1);
}

TEST(FieldWork, OfPixelsGoesThroughTiles) {
  const Positions pixels = pixel_positions(64, 80, 40);
  EXPECT_EQ(pixels[7], (std::array<float, 3>{7.5f / 80, 0.5f / 40, 0}));
  EXPECT_EQ(pixels[8], (std::array<float, 3>{0.5f / 80, 1.5f / 40, 0}));
  EXPECT_EQ(pixels[32], (std::array<float, 3>{8.5f / 80, 0.5f / 40, 0}));
}

TEST(FieldWork, OfSplatsInOneCellHandsSumsOverOnceARun) {
  const HexPlaneConfig config{.levels = 1, .resolution = 64};
  const PlaneWork work = plane_work(config, Positions(64, {0.3f, 0.3f, 0.3f}), 0.4f);
  // 24 nodes of 16 features, four at a time, for 32 lanes together.
  EXPECT_EQ(work.loaded_sectors, 24 * 4 / 32.0);
  // 24 nodes of 128 bytes, for 16 places together.
  EXPECT_EQ(work.added_sectors, 24 * 4 / 16.0);
  EXPECT_EQ(work.most_added, 24 * 4);
}

TEST(FieldWork, OfSplatsInTwoCellsByTurnsHandsSumsOverForEach) {
  Positions places;
  for (int i = 0; i < 32; ++i) {
    places.push_back({0.1f, 0.1f, 0.1f});
    places.push_back({0.9f, 0.9f, 0.9f});
  }
  const PlaneWork work = plane_work({}, places, 0.4f);
  EXPECT_EQ(work.loaded_sectors, 2 * 24 * 4 / 32.0) << "two nodes for each load";
  EXPECT_EQ(work.added_sectors, work.most_added);
}

TEST(FieldWork, OfASurfaceHandsFewerSumsOver) {
  const Positions places = shell_positions(4096);
  ASSERT_EQ(places.size(), 4096u);
  const PlaneWork work = plane_work({}, places, 0.4f);
  EXPECT_LT(work.added_sectors, 0.95 * work.most_added) << "neighbours follow each other";
  EXPECT_GT(work.added_sectors, work.most_added / 16);
}

TEST(FieldWork, CountsTheProductsOfANetwork) {
  cuda_host::reset();
  // 32 -> 64 -> 64 -> 16: 2, 4 and 4 blocks of inputs, times 4, 4 and 1 of outputs, two products
  // each for 16 samples.
  const NetworkWorks works =
      network_work({.inputs = 32, .outputs = 16, .neurons = 64, .hidden_layers = 2}, 512);
  constexpr double kBlocks = 2 * 4 + 4 * 4 + 4;
  EXPECT_EQ(works.forward.products, kBlocks * 2 / 16);
  // Again all layers but the last, then the gradients of inputs and weights of all layers.
  EXPECT_EQ(works.gradients.products, (3 * kBlocks - 4) * 2 / 16);
  EXPECT_EQ(works.weight_bytes, kBlocks * 512);
  EXPECT_GT(works.forward.wavefronts, 0);
  EXPECT_LE(works.gradients.wavefronts, 1.01 * works.gradients.without_conflicts);
  cuda_host::reset();
}

TEST(FieldWork, CountsTheProductsOfRaysThroughANerf) {
  cuda_host::reset();
  const RayWork work =
      ray_work({.levels = 8, .features = 4, .log2_table_size = 10, .per_level_scale = 1.5}, 64, 32);
  // 32 -> 64 -> 16 and 32 -> 64 -> 64 -> 3.
  constexpr double kBlocks = (2 * 4 + 4) + (2 * 4 + 4 * 4 + 4);
  EXPECT_NEAR(work.products * work.full, kBlocks * 2 / 16, 1e-9);
  EXPECT_GT(work.samples_of_ray, 5);
  EXPECT_GT(work.full, 0.8) << "ended rays are replaced";
  EXPECT_LE(work.full, 1);
  EXPECT_GT(work.wavefronts, kBlocks / 16);
  cuda_host::reset();
}

}  // namespace
}  // namespace mote
