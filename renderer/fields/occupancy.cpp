#include "fields/occupancy.h"

#include <algorithm>

#include "core/error.h"
#include "math/counter_random.h"

namespace mote {
namespace {

std::size_t cascade_first(int cascade) {
  return static_cast<std::size_t>(cascade) * kOccupancyCells;
}

void check_size(const OccupancyDensities& densities) {
  CHECK(densities.cascades >= 1 && densities.cascades <= kMostCascades);
  CHECK(densities.values.size() == cascade_first(densities.cascades));
}

}  // namespace

float occupancy_threshold(const OccupancyDensities& densities) {
  check_size(densities);
  double sum = 0;
  for (std::size_t i = 0; i < kOccupancyCells; ++i) {
    const float density = densities.values[i];
    if (density > 0) sum += static_cast<double>(density);
  }
  return std::min(kOccupiedDensity, static_cast<float>(sum / kOccupancyCells));
}

OccupancyBits::OccupancyBits(const OccupancyDensities& densities)
    : cascades_(densities.cascades),
      words_(static_cast<std::size_t>(cascades_) * kOccupancyWords),
      blocks_(words_.size() / 64),
      densities_(densities.values.size()) {
  const float threshold = occupancy_threshold(densities);
  const float* density = densities.values.data();
  for (std::uint64_t& word : words_) {
    for (int bit = 0; bit < 64; ++bit) {
      word |= static_cast<std::uint64_t>(*density++ > threshold) << bit;
    }
  }
  for (int cascade = 1; cascade < cascades_; ++cascade) add_finer(cascade);
  std::transform(
      densities.values.begin(), densities.values.end(), densities_.begin(),
      [](float density) { return static_cast<std::uint8_t>(coarse_density_code(density)); });
  for (std::size_t i = 0; i < words_.size(); ++i) {
    blocks_[i / 64] |= static_cast<std::uint64_t>(words_[i] != 0) << (i % 64);
  }
  find_box();
}

/// To the cubes of 4^3 cells of a word.
void OccupancyBits::find_box() {
  box_ = no_occupied_box();
  for (std::size_t w = 0; w < words_.size(); ++w) {
    if (words_[w] != 0) include_word(w, box_);
  }
}

/// Adds the bits of the next finer cascade.
void OccupancyBits::add_finer(int cascade) {
  const std::uint64_t* finer =
      words_.data() + static_cast<std::size_t>(cascade - 1) * kOccupancyWords;
  std::uint64_t* own = words_.data() + static_cast<std::size_t>(cascade) * kOccupancyWords;
  for (std::size_t w = 0; w < kFinerWords; ++w)
    own[coarser_word(w)] |= word_of_finer(finer + 8 * w);
}

bool OccupancyBits::occupied(Vec3<float> position, int cascade) const {
  const Vec3<float> p = position_in_cells(position, cells_per_unit(cascade));
  const auto inside = [](float x) { return x >= 0 && x < kOccupancySide; };
  if (!(inside(p.x) && inside(p.y) && inside(p.z))) return false;
  const OccupancyCell cell{static_cast<std::uint32_t>(p.x), static_cast<std::uint32_t>(p.y),
                           static_cast<std::uint32_t>(p.z)};
  const auto number = static_cast<std::uint32_t>(cell_number(cascade, cell));
  return empty_side<std::uint32_t>(*this, number) == 0;
}

void update_densities(std::span<const std::uint32_t> cells, std::span<const float> measured,
                      float decay, OccupancyDensities& densities) {
  check_size(densities);
  CHECK(cells.size() == measured.size());
  for (float& density : densities.values) density = updated_density(density, 0, decay);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    float& density = densities.values[cells[i]];
    density = updated_density(density, measured[i], 1);
  }
}

std::vector<std::uint32_t> random_cells(const OccupancyDensities& densities, CellCounts counts,
                                        std::uint64_t seed, std::uint64_t step) {
  check_size(densities);
  const std::uint64_t step_seed = random_bits(seed, step);
  std::uint64_t number = 0;
  std::vector<std::uint32_t> chosen, occupied;
  chosen.reserve(static_cast<std::size_t>(densities.cascades) * (counts.uniform + counts.occupied));
  for (int cascade = 0; cascade < densities.cascades; ++cascade) {
    const std::size_t first = cascade_first(cascade);
    const auto add_uniform = [&](std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t cell =
            first + random_below(kOccupancyCells, random_bits(step_seed, number++));
        if (densities.values[cell] >= 0) chosen.push_back(static_cast<std::uint32_t>(cell));
      }
    };
    add_uniform(counts.uniform);
    occupied.clear();
    for (std::size_t cell = first; cell < first + kOccupancyCells; ++cell) {
      if (densities.values[cell] > kOccupiedDensity) {
        occupied.push_back(static_cast<std::uint32_t>(cell));
      }
    }
    if (occupied.empty()) {
      add_uniform(counts.occupied);
      continue;
    }
    for (std::size_t i = 0; i < counts.occupied; ++i) {
      chosen.push_back(occupied[random_below(occupied.size(), random_bits(step_seed, number++))]);
    }
  }
  return chosen;
}

std::vector<std::uint32_t> seen_cells(const OccupancyDensities& densities) {
  std::vector<std::uint32_t> seen;
  for (std::size_t cell = 0; cell < densities.values.size(); ++cell) {
    if (densities.values[cell] >= 0) seen.push_back(static_cast<std::uint32_t>(cell));
  }
  return seen;
}

}  // namespace mote
