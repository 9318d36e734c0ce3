// The occupancy grid of a field in training on the device, against the functions of the processor.
#include <algorithm>
#include <cmath>

#include "cuda/fields/device_occupancy.h"
#include "cuda/kernels/fields/occupancy_update.h"
#include "cuda/kernels/fields/prefix_sums.h"
#include "field_kernels_fixture.h"
#include "math/counter_random.h"

namespace mote::cuda {
namespace {

class OccupancyKernels : public OnTheHostRun {
 protected:
  OccupancyKernels() {
    cuda_host::machine().check_accesses = false;  // many cells; a smaller test checks them
  }
};

/// Cubes of cells that are unseen, empty, thin or dense.
OccupancyDensities mixed_densities(int cascades) {
  OccupancyDensities densities{.cascades = cascades, .values = {}};
  std::mt19937 random(8);
  densities.values.resize(static_cast<std::size_t>(cascades) * kOccupancyCells);
  for (std::size_t first = 0; first < densities.values.size(); first += 64) {
    constexpr float kKinds[] = {-1, 0, 0, 0, 0.004f, 0.3f};
    const float value = kKinds[random() % std::size(kKinds)];
    for (std::size_t i = first; i < first + 64; ++i) {
      densities.values[i] = value > 0 ? value * (0.5f + static_cast<float>(i % 7)) : value;
    }
  }
  return densities;
}

std::vector<std::uint32_t> chosen(const OccupancyDensities& densities, bool all,
                                  const CellCounts& counts, std::uint64_t seed) {
  const auto uniform = static_cast<unsigned>(counts.uniform),
             occupied = static_cast<unsigned>(counts.occupied);
  const unsigned slots = slots_of(densities.cascades, all, uniform, occupied);
  const std::size_t most = std::max<std::size_t>(slots, kOccupancyCells);
  const auto values = on_device(densities.values);
  auto of_slots = zeros_on_device<std::uint32_t>(slots);
  auto listed = zeros_on_device<std::uint32_t>(kOccupancyCells);
  auto scratch = zeros_on_device<std::uint32_t>(most + sum_blocks_of(static_cast<unsigned>(most)));
  auto cells = zeros_on_device<std::uint32_t>(slots);
  auto numbers = zeros_on_device<unsigned>(2);
  run_cell_choice({.densities = values.data(),
                   .cascades = densities.cascades,
                   .all = all,
                   .uniform = uniform,
                   .occupied = occupied,
                   .seed = seed,
                   .slots = of_slots.data(),
                   .listed = listed.data(),
                   .scratch = scratch.data(),
                   .occupied_count = numbers.data() + 1,
                   .cells = cells.data(),
                   .count = numbers.data()},
                  nullptr);
  std::vector<std::uint32_t> result = from_device(cells);
  result.resize(from_device(numbers).front());
  return result;
}

TEST_F(OccupancyKernels, ChooseTheCellsOfTheProcessor) {
  constexpr CellCounts kCounts{.uniform = 700, .occupied = 300};
  const OccupancyDensities densities = mixed_densities(2);
  EXPECT_EQ(chosen(densities, false, kCounts, random_bits(5, 3)),
            random_cells(densities, kCounts, 5, 3));
  EXPECT_EQ(chosen(densities, true, kCounts, 0), seen_cells(densities));
}

TEST_F(OccupancyKernels, ChooseAllCellsAlikeWhereNoneIsOccupied) {
  cuda_host::machine().check_accesses = true;
  constexpr CellCounts kCounts{.uniform = 200, .occupied = 300};
  const OccupancyDensities empty{.cascades = 1, .values = std::vector<float>(kOccupancyCells)};
  const std::vector<std::uint32_t> cells = chosen(empty, false, kCounts, random_bits(5, 3));
  EXPECT_EQ(cells.size(), 500u);
  EXPECT_EQ(cells, random_cells(empty, kCounts, 5, 3));
}

TEST_F(OccupancyKernels, PutPositionsIntoTheChosenCells) {
  const std::vector<std::uint32_t> cells{5, 70000, 2097152 + 8, 9, 1000000};
  const auto on_cells = on_device(cells);
  const auto count = on_device(std::vector<unsigned>{5});
  auto positions = zeros_on_device<float>(3 * 4);
  auto part = zeros_on_device<unsigned>(1);
  CellPlaceArgs args{.cells = on_cells.data(),
                     .count = count.data(),
                     .first = 2,
                     .most = 4,
                     .seed = 77,
                     .box_min = -0.5f,
                     .box_size = 2,
                     .positions = positions.data(),
                     .stride = 4,
                     .part_count = part.data()};
  run_cell_places(args, nullptr);
  EXPECT_EQ(from_device(part).front(), 3u);
  const std::vector<float> own = from_device(positions);
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3<float> at = cell_position(cells[2 + i], random_place(random_bits(77, 2 + i)));
    EXPECT_NEAR(own[i], (at.x + 0.5f) / 2, 1e-6f);
    EXPECT_NEAR(own[4 + i], (at.y + 0.5f) / 2, 1e-6f);
    EXPECT_NEAR(own[8 + i], (at.z + 0.5f) / 2, 1e-6f);
  }
  args.first = 5;
  run_cell_places(args, nullptr);
  EXPECT_EQ(from_device(part).front(), 0u);
}

TEST_F(OccupancyKernels, UpdateDensitiesAsTheProcessorDoes) {
  cuda_host::machine().check_accesses = true;
  OccupancyDensities expected = mixed_densities(1);
  std::vector<std::uint32_t> cells;
  std::vector<float> raw, measured;
  for (std::uint32_t i = 0; i < 900; ++i) {
    cells.push_back(i * 7 % 600);  // some repeat
    raw.push_back(static_cast<float>(i % 13) - 2);
    measured.push_back(optical_thickness(raw.back(), kSmallestStep));
  }
  auto densities =
      on_device(std::vector<float>(expected.values.begin(), expected.values.begin() + 600));
  const auto on_cells = on_device(cells);
  const auto on_raw = on_device(raw);
  const auto count = on_device(std::vector<unsigned>{890});
  run_density_measure({.cells = on_cells.data(),
                       .count = count.data(),
                       .most = 900,
                       .raw = on_raw.data(),
                       .soft = {0, 0},
                       .densities = densities.data()},
                      nullptr);
  measured.resize(890);
  cells.resize(890);
  update_densities(cells, measured, 1, expected);
  const std::vector<float> own = from_device(densities);
  for (std::size_t i = 0; i < own.size(); ++i) {
    ASSERT_NEAR(own[i], expected.values[i], 1e-5f * (1 + expected.values[i])) << i;
  }
}

TEST_F(OccupancyKernels, LowerDensitiesAsTheProcessorDoes) {
  OccupancyDensities expected = mixed_densities(2);
  auto densities = on_device(expected.values);
  run_density_decay(densities.data(), 2, 0.75f, nullptr);
  update_densities({}, {}, 0.75f, expected);
  const std::vector<float> own = from_device(densities);
  float most = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    ASSERT_NEAR(own[i], expected.values[i], 1e-6f * std::abs(expected.values[i])) << i;
    most = std::max(most, own[i]);
  }
  EXPECT_GT(most, 1);
}

void expect_bits_of_the_processor(const OccupancyDensities& densities) {
  const OccupancyBits expected(densities);
  const OccupancyView view = expected;
  const auto values = on_device(densities.values);
  const std::size_t cells = densities.values.size();
  auto words = zeros_on_device<std::uint64_t>(cells / 64);
  auto blocks = zeros_on_device<std::uint64_t>(cells / 4096);
  auto codes = zeros_on_device<std::uint8_t>(cells);
  auto threshold = zeros_on_device<float>(1);
  auto box = zeros_on_device<OccupiedBox>(1);
  run_occupancy_bits({.densities = values.data(),
                      .cascades = densities.cascades,
                      .words = words.data(),
                      .blocks = blocks.data(),
                      .codes = codes.data(),
                      .threshold = threshold.data(),
                      .box = box.data()},
                     nullptr);
  EXPECT_EQ(from_device(threshold).front(), occupancy_threshold(densities));
  EXPECT_TRUE(std::ranges::equal(from_device(words), std::span(view.words, cells / 64)));
  EXPECT_TRUE(std::ranges::equal(from_device(blocks), std::span(view.blocks, cells / 4096)));
  EXPECT_TRUE(std::ranges::equal(from_device(codes), std::span(view.densities, cells)));
  const OccupiedBox own = from_device(box).front();
  EXPECT_EQ(own.min.x, expected.box().min.x);
  EXPECT_EQ(own.min.y, expected.box().min.y);
  EXPECT_EQ(own.min.z, expected.box().min.z);
  EXPECT_EQ(own.max.x, expected.box().max.x);
  EXPECT_EQ(own.max.y, expected.box().max.y);
  EXPECT_EQ(own.max.z, expected.box().max.z);
}

TEST_F(OccupancyKernels, MakeTheBitsOfTheProcessor) {
  expect_bits_of_the_processor(mixed_densities(2));
  OccupancyDensities few{.cascades = 1, .values = std::vector<float>(kOccupancyCells)};
  expect_bits_of_the_processor(few);  // no cell, so that the box is empty
  few.values[cell_index(OccupancyCell{40, 90, 13})] = 2;
  expect_bits_of_the_processor(few);
}

}  // namespace
}  // namespace mote::cuda
