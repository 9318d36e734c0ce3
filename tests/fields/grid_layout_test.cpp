// The levels of grid encodings, against numbers that tiny-cuda-nn and instant-ngp print.
#include "fields/encodings/grid_layout.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace mote {
namespace {

GridConfig hash_grid(int levels, int features, int log2_table_size, double growth) {
  return {.levels = levels,
          .features = features,
          .log2_table_size = log2_table_size,
          .per_level_scale = growth};
}

TEST(GridLayout, HasAsManyParametersAsInstantNgp) {
  EXPECT_EQ(grid_parameters(hash_grid(16, 2, 19, 1.38191)), 12'196'240u);
  EXPECT_EQ(grid_parameters(hash_grid(16, 2, 19, 1.51572)), 13'074'912u);
  EXPECT_EQ(grid_parameters(hash_grid(16, 2, 19, 1.66248)), 13'623'184u);
  EXPECT_EQ(grid_parameters(hash_grid(8, 4, 19, 2)), 11'681'792u);
  EXPECT_EQ(grid_parameters(hash_grid(8, 4, 19, 2.43803)), 12'855'296u);
}

TEST(GridLayout, GrowsToTheFinestResolution) {
  EXPECT_NEAR(grid_growth(2048, 16, 16), 1.38191, 1e-5);
  EXPECT_NEAR(grid_growth(2048, 16, 8), 2, 1e-12);
  EXPECT_NEAR(grid_growth(2048 * 4, 16, 8), 2.43803, 1e-5);
  EXPECT_EQ(grid_growth(2048, 16, 1), 1);
}

TEST(GridLayout, CoarseLevelsHaveAnEntryForEachPoint) {
  const std::vector<GridLevel> levels = grid_levels(hash_grid(8, 4, 19, 2));
  // 16 points per axis give 15 cells, and 16^3 points.
  EXPECT_EQ(levels[0].scale, 15.0f);
  EXPECT_EQ(levels[0].resolution, 16u);
  EXPECT_EQ(levels[0].entries, 4096u);
  EXPECT_EQ(levels[0].index, GridIndex::dense);
  EXPECT_EQ(levels[2].entries, 64u * 64 * 64);
  EXPECT_EQ(levels[2].stride, (std::array<std::uint32_t, 4>{1, 64, 4096, 0}));
  EXPECT_EQ(levels[3].index, GridIndex::hashed);
  EXPECT_EQ(levels[3].entries, 1u << 19);
  EXPECT_EQ(levels[1].first, 4096u);
  EXPECT_EQ(levels[4].first, levels[3].first + levels[3].entries);
}

TEST(GridLayout, EntriesAreMultiplesOfEight) {
  for (const GridLevel& level : grid_levels({.dimensions = 2, .levels = 5, .base_resolution = 3})) {
    EXPECT_EQ(level.entries % 8, 0u);
    EXPECT_GE(level.entries, level.resolution * level.resolution);
    EXPECT_LT(level.entries, level.resolution * level.resolution + 8);
  }
}

TEST(GridLayout, DenseGridsAreNotLimited) {
  const GridConfig config{.kind = GridKind::dense, .levels = 5, .features = 2};
  EXPECT_EQ(grid_levels(config).back().entries, 256u * 256 * 256);
  EXPECT_EQ(grid_levels(config).back().index, GridIndex::dense);
}

TEST(GridLayout, TiledGridsRepeatTheirBase) {
  const GridConfig config{.kind = GridKind::tiled, .levels = 3, .features = 2};
  const std::vector<GridLevel> levels = grid_levels(config);
  EXPECT_EQ(levels[0].index, GridIndex::dense);
  EXPECT_EQ(levels[2].entries, 4096u);
  EXPECT_EQ(levels[2].index, GridIndex::tiled);
  // 64 points per axis: the third axis would step over 4096 entries.
  EXPECT_EQ(levels[2].stride, (std::array<std::uint32_t, 4>{1, 64, 4096, 0}));
  EXPECT_EQ(grid_levels({.kind = GridKind::tiled, .levels = 4}).back().stride[2], 0u);
}

TEST(GridLayout, RefusesMoreEntriesThanAnIndexCounts) {
  EXPECT_THROW(grid_levels({.kind = GridKind::dense, .levels = 16}), Error);
  const GridConfig large{.levels = 2, .log2_table_size = 31, .per_level_scale = 200};
  EXPECT_THROW(grid_levels(large), Error) << "level 1 alone would have 2^31 entries";
}

TEST(GridLayout, RefusesResolutionsThatNumbersOfCellsDoNotReach) {
  GridConfig config{.levels = 2, .base_resolution = 1 << 20, .per_level_scale = 1023};
  const std::vector<GridLevel> levels = grid_levels(config);
  EXPECT_GT(levels[1].resolution, 1u << 29);
  config.levels = 3;
  EXPECT_THROW(grid_levels(config), Error);
}

}  // namespace
}  // namespace mote
