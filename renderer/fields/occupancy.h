#pragma once

// The occupancy grid of a field: cubes of 128^3 cells. Cascade c is the cube of side 2^c around
// (0.5, 0.5, 0.5). Densities and bits are in Morton order, as in snapshots of instant-ngp
// (Müller et al. 2022, appendix E.2).

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "math/vector.h"

namespace mote {

inline constexpr int kOccupancyBitsPerAxis = 7;
inline constexpr int kOccupancySide = 1 << kOccupancyBitsPerAxis;  // cells per axis
inline constexpr std::size_t kOccupancyCells =
    std::size_t{kOccupancySide} * kOccupancySide * kOccupancySide;
inline constexpr int kMostCascades = 8;
inline constexpr float kSmallestStep = 1.7320508f / 1024;  // of a ray; field's units
inline constexpr float kOccupiedDensity = 0.01f;           // upper bound of the threshold of a bit
inline constexpr float kOccupancyDecay = 0.95f;            // of a density, per update
inline constexpr float kUnseenDensity = -1;

/// Number of cascades of a field whose cube has this side, a power of two.
constexpr int cascades_of(int aabb_scale) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(aabb_scale)));
}

/// Densities times the smallest step, [cascades][kOccupancyCells]; -1 in cells that no camera sees.
struct OccupancyDensities {
  int cascades = 1;
  std::vector<float> values;
};

/// Cells of a cascade, each from 0 to 127.
struct OccupancyCell {
  std::uint32_t x, y, z;

  bool operator==(const OccupancyCell&) const = default;
};

/// Inserts two zero bits after each of the low 7 bits.
constexpr MOTE_LANE std::uint32_t spread_cell_bits(std::uint32_t v) {
  v = (v | v << 8) & 0x0700f;
  v = (v | v << 4) & 0x430c3;
  return (v | v << 2) & 0x49249;
}

/// The inverse of spread_cell_bits(); other bits are ignored.
constexpr MOTE_LANE std::uint32_t gather_cell_bits(std::uint32_t v) {
  v &= 0x49249;
  v = (v | v >> 2) & 0x430c3;
  v = (v | v >> 4) & 0x0700f;
  return (v | v >> 8) & 0x7f;
}

/// The Morton index of a cell in its cascade.
constexpr MOTE_LANE std::uint32_t cell_index(OccupancyCell cell) {
  return spread_cell_bits(cell.x) | spread_cell_bits(cell.y) << 1 | spread_cell_bits(cell.z) << 2;
}

/// The cell of an index; bits above the index are ignored.
constexpr MOTE_LANE OccupancyCell cell_of(std::uint32_t index) {
  return {gather_cell_bits(index), gather_cell_bits(index >> 1), gather_cell_bits(index >> 2)};
}

/// 2^exponent, for exponents from -126 to 127.
constexpr MOTE_LANE float power_of_two(int exponent) {
  return std::bit_cast<float>((exponent + 127) << 23);
}

/// The side of a cascade's cube, field's units.
constexpr MOTE_LANE float cascade_side(int cascade) {
  return power_of_two(cascade);
}

/// The side of a cascade's cells, field's units.
constexpr MOTE_LANE float cell_side(int cascade) {
  return power_of_two(cascade - kOccupancyBitsPerAxis);
}

/// A position of a field, in cells of a cascade: 0 to 128 inside of its cube.
MOTE_LANE Vec3<float> position_in_cells(Vec3<float> position, int cascade) {
  const float scale = power_of_two(kOccupancyBitsPerAxis - cascade);
  const auto axis = [&](float x) { return (x - 0.5f) * scale + 0.5f * kOccupancySide; };
  return {axis(position.x), axis(position.y), axis(position.z)};
}

/// The bits of an OccupancyBits. A word has 4^3 cells, in Morton order.
struct OccupancyView {
  const std::uint64_t* words;   // [cascades][kOccupancyCells / 64]
  const std::uint64_t* blocks;  // [cascades][kOccupancyCells / 4096]: a bit for each word, not zero
  const std::uint8_t* densities;  // [cascades][kOccupancyCells]: see coarse_density()
  int cascades;
};

// Densities in bytes: five bits of a float's exponent and the three highest of its mantissa.
inline constexpr std::uint32_t kCoarseDensityShift = 20, kCoarseDensityFirst = 115 << 3;

/// A density in 8 bits, rounded down, from 2^-12 to 2^20. Densities beyond count as the nearest of
/// these.
constexpr MOTE_LANE std::uint8_t coarse_density_code(float density) {
  if (!(density > 0)) return 0;
  const std::uint32_t code = std::bit_cast<std::uint32_t>(density) >> kCoarseDensityShift;
  const std::uint32_t above = code > kCoarseDensityFirst ? code - kCoarseDensityFirst : 0;
  return static_cast<std::uint8_t>(above < 255 ? above : 255);
}

/// The inverse of coarse_density_code(): the smallest density of a code.
constexpr MOTE_LANE float coarse_density(std::uint8_t code) {
  return std::bit_cast<float>((code + kCoarseDensityFirst) << kCoarseDensityShift);
}

/// The index of a cell into the values of all cascades.
MOTE_LANE std::size_t cell_number(int cascade, OccupancyCell cell) {
  return static_cast<std::size_t>(cascade) * kOccupancyCells + std::size_t{cell_index(cell)};
}

/// Side of the largest known empty cube around a cell, in cells: 0 in an occupied cell, else 1, 2,
/// 4, 8 or 16. The cube begins at multiples of its side. In Morton order, the bits of a cube of 2^3
/// are a byte. `index`: cell_number() of the cell.
MOTE_LANE int empty_side(const OccupancyView& bits, std::size_t index) {
  const auto is_empty = [](std::uint64_t part, std::size_t first, std::uint64_t mask) {
    return (part >> first & mask) == 0;
  };
  const std::uint64_t block = bits.blocks[index / 4096];
  const std::size_t in_block = index / 64 % 64, in_word = index % 64;
  if (block == 0) return 16;
  if (is_empty(block, in_block & 56, 0xff)) return 8;
  if (is_empty(block, in_block, 1)) return 4;
  const std::uint64_t word = bits.words[index / 64];
  if (is_empty(word, in_word & 56, 0xff)) return 2;
  return is_empty(word, in_word, 1) ? 1 : 0;
}

/// The cells that rays take samples in.
class OccupancyBits {
 public:
  /// The bit of a cell tells whether its density is above occupancy_threshold(). In all cascades
  /// but the first, a cell is also occupied where one of the 2^3 cells of the next finer cascade in
  /// its place is.
  explicit OccupancyBits(const OccupancyDensities& densities);

  int cascades() const { return cascades_; }
  /// [cascades][kOccupancyCells / 64], in Morton order.
  std::span<const std::uint64_t> words() const { return words_; }
  /// Whether the cell of a position in the field's frame is occupied; false outside of the cube.
  bool occupied(Vec3<float> position, int cascade) const;

  operator OccupancyView() const {
    return {words_.data(), blocks_.data(), densities_.data(), cascades_};
  }

 private:
  void add_finer(int cascade);

  int cascades_;
  std::vector<std::uint64_t> words_, blocks_;
  std::vector<std::uint8_t> densities_;
};

/// The smaller of kOccupiedDensity and the mean density of the first cascade, where cells that no
/// camera sees do not count.
float occupancy_threshold(const OccupancyDensities& densities);

/// A density after an update; that of a cell that no camera sees is kept. A measured NaN counts as
/// nothing.
constexpr float updated_density(float density, float measured, float decay) {
  if (density < 0) return density;
  const float decayed = decay * density;
  return measured > decayed ? measured : decayed;
}

/// Updates all cells. `measured` has the new densities of `cells`, indices into the values; the
/// largest counts where a cell is repeated. The other cells only decay.
void update_densities(std::span<const std::uint32_t> cells, std::span<const float> measured,
                      float decay, OccupancyDensities& densities);

/// Steps before which cells are chosen from all at each update.
inline constexpr std::uint64_t kOccupancyWarmUp = 256;

/// Number of cells to measure in an update, for each cascade.
struct CellCounts {
  std::size_t uniform = kOccupancyCells / 4;   // of all cells
  std::size_t occupied = kOccupancyCells / 4;  // of those above kOccupiedDensity
};

/// Random cells to measure, with repetitions: indices into the values. The same for the same seed
/// and step. Cells that no camera sees are left out, so that there may be fewer than `counts`.
/// Where no cell is occupied, `counts.occupied` is also of all cells.
std::vector<std::uint32_t> random_cells(const OccupancyDensities& densities, CellCounts counts,
                                        std::uint64_t seed, std::uint64_t step);

/// All cells that a camera sees: indices into the values.
std::vector<std::uint32_t> seen_cells(const OccupancyDensities& densities);

/// A point of a cell in the field's frame. `cell`: an index into the values. `place`: from 0 to 1
/// along each axis of the cell.
Vec3<float> cell_position(std::uint32_t cell, Vec3<float> place);

/// A uniformly random place in a cell, from 64 random bits.
Vec3<float> random_place(std::uint64_t bits);

}  // namespace mote
