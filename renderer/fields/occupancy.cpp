#include "fields/occupancy.h"

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "math/counter_random.h"

namespace mote {
namespace {

constexpr std::size_t kWords = kOccupancyCells / 64;  // of a cascade

std::size_t cascade_first(int cascade) {
  return static_cast<std::size_t>(cascade) * kOccupancyCells;
}

void check_size(const OccupancyDensities& densities) {
  CHECK(densities.cascades >= 1 && densities.cascades <= kMostCascades);
  CHECK(densities.values.size() == cascade_first(densities.cascades));
}

/// The lower border of a cell along an axis, in the field's frame.
float cell_border(int cascade, int cell) {
  return 0.5f + static_cast<float>(cell - kOccupancySide / 2) * cell_side(cascade);
}

/// A bit for each byte that is not zero.
std::uint64_t bytes_set(std::uint64_t word) {
  constexpr std::uint64_t kLowest = 0x0101010101010101u;
  word |= word >> 4;
  word |= word >> 2;
  word |= word >> 1;
  // The product puts the lowest bit of byte i at bit 56 + i.
  return (word & kLowest) * 0x0102040810204080u >> 56;
}

}  // namespace

float occupancy_threshold(const OccupancyDensities& densities) {
  check_size(densities);
  double sum = 0;
  std::size_t seen = 0;
  for (std::size_t i = 0; i < kOccupancyCells; ++i) {
    const float density = densities.values[i];
    if (!(density >= 0)) continue;
    sum += static_cast<double>(density);
    ++seen;
  }
  const double mean = seen > 0 ? sum / static_cast<double>(seen) : 0;
  return std::min(kOccupiedDensity, static_cast<float>(mean));
}

OccupancyBits::OccupancyBits(const OccupancyDensities& densities)
    : cascades_(densities.cascades),
      words_(static_cast<std::size_t>(cascades_) * kWords),
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
  constexpr float kMost = std::numeric_limits<float>::max();
  box_ = {{kMost, kMost, kMost}, {-kMost, -kMost, -kMost}};
  for (std::size_t w = 0; w < words_.size(); ++w) {
    if (words_[w] == 0) continue;
    const auto cascade = static_cast<int>(w / kWords);
    const OccupancyCell cell = cell_of(static_cast<std::uint32_t>(64 * (w % kWords)));
    const auto include = [&](std::uint32_t first, float& low, float& high) {
      const float from = cell_border(cascade, static_cast<int>(first)),
                  to = cell_border(cascade, static_cast<int>(first) + 4);
      low = std::min(low, from);
      high = std::max(high, to);
    };
    include(cell.x, box_.min.x, box_.max.x);
    include(cell.y, box_.min.y, box_.max.y);
    include(cell.z, box_.min.z, box_.max.z);
  }
}

/// Adds the bits of the next finer cascade. Its eight cells in the place of a coarser cell are a
/// byte, and eight of its words are a word. The finer cube fills the cells 32 to 95, which are
/// eight aligned cubes of 32^3 cells: each is contiguous in both orders.
void OccupancyBits::add_finer(int cascade) {
  constexpr std::uint32_t kQuarter = kOccupancySide / 4, kHalf = kOccupancySide / 2;
  constexpr std::size_t kPartWords = kWords / 64;  // in a cube of 32^3 cells
  const std::uint64_t* finer = words_.data() + static_cast<std::size_t>(cascade - 1) * kWords;
  std::uint64_t* own = words_.data() + static_cast<std::size_t>(cascade) * kWords;
  for (std::uint32_t part = 0; part < 8; ++part) {
    const auto corner = [&](std::uint32_t axis) {
      return (part >> axis & 1) == 0 ? kQuarter : kHalf;
    };
    std::uint64_t* to = own + cell_index({corner(0), corner(1), corner(2)}) / 64;
    for (std::size_t w = 0; w < kPartWords; ++w) {
      for (std::size_t byte = 0; byte < 8; ++byte) to[w] |= bytes_set(*finer++) << (8 * byte);
    }
  }
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

Vec3<float> cell_position(std::uint32_t cell, Vec3<float> place) {
  const float side = cascade_side(static_cast<int>(cell / kOccupancyCells));
  const OccupancyCell at = cell_of(cell % kOccupancyCells);
  const auto axis = [&](std::uint32_t index, float share) {
    return ((static_cast<float>(index) + share) * (1.0f / kOccupancySide) - 0.5f) * side + 0.5f;
  };
  return {axis(at.x, place.x), axis(at.y, place.y), axis(at.z, place.z)};
}

Vec3<float> random_place(std::uint64_t bits) {
  constexpr std::uint64_t kMask = (1u << 21) - 1;
  const auto axis = [&](int shift) {
    return (static_cast<float>(bits >> shift & kMask) + 0.5f) * 0x1p-21f;
  };
  return {axis(0), axis(21), axis(42)};
}

}  // namespace mote
