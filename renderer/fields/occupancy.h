#pragma once

// The occupancy grid of a field: cubes of 128^3 cells. Cascade c is the cube of side 2^c around
// (0.5, 0.5, 0.5). Densities and bits are in Morton order, as in snapshots of instant-ngp
// (Müller et al. 2022, appendix E.2).

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
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

/// Inserts two zero bits after each of the low 7 bits. `Words`: a word, or one per lane.
template <class Words>
constexpr MOTE_LANE Words spread_cell_bits(Words v) {
  v = (v | shift_left<8>(v)) & Words(0x0700fu);
  v = (v | shift_left<4>(v)) & Words(0x430c3u);
  return (v | shift_left<2>(v)) & Words(0x49249u);
}

/// The inverse of spread_cell_bits(); other bits are ignored.
constexpr MOTE_LANE std::uint32_t gather_cell_bits(std::uint32_t v) {
  v &= 0x49249;
  v = (v | v >> 2) & 0x430c3;
  v = (v | v >> 4) & 0x0700f;
  return (v | v >> 8) & 0x7f;
}

/// The Morton index of a cell in its cascade.
template <class Words>
constexpr MOTE_LANE Words cell_index(Words x, Words y, Words z) {
  return spread_cell_bits(x) | shift_left<1>(spread_cell_bits(y)) |
         shift_left<2>(spread_cell_bits(z));
}
constexpr MOTE_LANE std::uint32_t cell_index(OccupancyCell cell) {
  return cell_index(cell.x, cell.y, cell.z);
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

/// A position of a field, in cells of a cascade: 0 to 128 inside of its cube. `cells`: per unit.
template <class F>
MOTE_LANE Vec3<F> position_in_cells(Vec3<F> position, F cells) {
  const auto axis = [&](F x) { return (x - F(0.5f)) * cells + F(0.5f * kOccupancySide); };
  return {axis(position.x), axis(position.y), axis(position.z)};
}
/// Number of a cascade's cells per unit of length.
constexpr MOTE_LANE float cells_per_unit(int cascade) {
  return power_of_two(kOccupancyBitsPerAxis - cascade);
}

/// The bits of an OccupancyBits. A word has 4^3 cells, in Morton order.
struct OccupancyView {
  const std::uint64_t* words;   // [cascades][kOccupancyCells / 64]
  const std::uint64_t* blocks;  // [cascades][kOccupancyCells / 4096]: a bit for each word, not zero
  const std::uint8_t* densities;  // [cascades][kOccupancyCells]: see coarse_density()
  int cascades;
};

// Densities in bytes: five bits of a float's exponent and the three highest of its mantissa.
inline constexpr int kCoarseDensityShift = 20;
inline constexpr std::uint32_t kCoarseDensityFirst = 115 << 3;

/// A density in 8 bits, rounded down, from 2^-12 to 2^20. Densities beyond count as the nearest of
/// these.
constexpr MOTE_LANE std::uint32_t coarse_density_code(float density) {
  if (!(density > 0)) return 0;
  const std::uint32_t code = std::bit_cast<std::uint32_t>(density) >> kCoarseDensityShift;
  const std::uint32_t above = code > kCoarseDensityFirst ? code - kCoarseDensityFirst : 0;
  return above < 255 ? above : 255;
}

/// The inverse of coarse_density_code(): the smallest density of a code, or of one per lane.
template <class Words>
MOTE_LANE auto coarse_density(Words code) {
  return float_of_bits(shift_left<kCoarseDensityShift>(code + Words(kCoarseDensityFirst)));
}

/// The index of a cell into the values of all cascades.
MOTE_LANE std::size_t cell_number(int cascade, OccupancyCell cell) {
  return static_cast<std::size_t>(cascade) * kOccupancyCells + std::size_t{cell_index(cell)};
}

/// Side of the largest known empty cube around a cell, in cells: 0 in an occupied cell, else 1, 2,
/// 4, 8 or 16. The cube begins at multiples of its side. In Morton order, the bits of a cube of 2^3
/// are a byte. `index`: cell_number() of the cell, or one per lane.
template <class Words>
MOTE_LANE Words empty_side(const OccupancyView& bits, Words index) {
  // Halves of the 64-bit words, the lower half first.
  const auto* blocks = reinterpret_cast<const std::uint32_t*>(bits.blocks);
  const auto* words = reinterpret_cast<const std::uint32_t*>(bits.words);
  const Words block = shift_left<1>(shift_right<12>(index)), in_block = shift_right<6>(index);
  const Words low = gather_words(blocks, block), high = gather_words(blocks, block | Words(1u));
  const Words of_block = select(is_zero(in_block & Words(32u)), low, high);
  const Words of_word = gather_words(words, shift_right<5>(index));
  const auto part = [](Words of, Words first, std::uint32_t bits_of_part, std::uint32_t mask) {
    return is_zero(shift_right_by(of, first & Words(32u - bits_of_part)) & Words(mask));
  };
  Words side = select(part(of_word, index, 1, 0x01), Words(1u), Words(0u));
  side = select(part(of_word, index, 8, 0xff), Words(2u), side);
  side = select(part(of_block, in_block, 1, 0x01), Words(4u), side);
  side = select(part(of_block, in_block, 8, 0xff), Words(8u), side);
  return select(is_zero(low | high), Words(16u), side);
}

/// A box around the occupied cells, in the field's frame; empty, with its minimum above its
/// maximum, if there are none.
struct OccupiedBox {
  Vec3<float> min, max;
};

/// Contains nothing.
constexpr OccupiedBox no_occupied_box() {
  constexpr float kMost = std::numeric_limits<float>::max();
  return {{kMost, kMost, kMost}, {-kMost, -kMost, -kMost}};
}

inline constexpr std::size_t kOccupancyWords = kOccupancyCells / 64;  // of a cascade

/// Extends the box by the cells of a word of OccupancyView: a cube of 4^3.
MOTE_LANE void include_word(std::size_t word, OccupiedBox& box) {
  const float side = cell_side(static_cast<int>(word / kOccupancyWords));
  const OccupancyCell cell = cell_of(static_cast<std::uint32_t>(64 * (word % kOccupancyWords)));
  const auto include = [&](std::uint32_t first, float& low, float& high) {
    const float from = 0.5f + (static_cast<float>(first) - 0.5f * kOccupancySide) * side;
    low = std::min(low, from);
    high = std::max(high, from + 4 * side);
  };
  include(cell.x, box.min.x, box.max.x);
  include(cell.y, box.min.y, box.max.y);
  include(cell.z, box.min.z, box.max.z);
}

// Words of a finer cascade are bits of the next coarser one: its eight cells in the place of a
// coarser cell are a byte, and eight of its words are a word. The finer cube fills the cells 32 to
// 95, which are eight aligned cubes of 32^3 cells: each is contiguous in both orders.
inline constexpr std::size_t kFinerWords = kOccupancyWords / 8;       // of a coarser cascade
inline constexpr std::size_t kFinerPartWords = kOccupancyWords / 64;  // in a cube of 32^3 cells

/// The word of a cascade that the finer words 8 number to 8 number + 7 belong to.
MOTE_LANE std::size_t coarser_word(std::size_t number) {
  const auto part = static_cast<std::uint32_t>(number / kFinerPartWords);
  const auto corner = [&](std::uint32_t axis) {
    return static_cast<std::uint32_t>((part >> axis & 1) == 0 ? kOccupancySide / 4
                                                              : kOccupancySide / 2);
  };
  return cell_index(OccupancyCell{corner(0), corner(1), corner(2)}) / 64 + number % kFinerPartWords;
}

/// A bit for each byte that is not zero.
MOTE_LANE std::uint64_t bytes_set(std::uint64_t word) {
  constexpr std::uint64_t kLowest = 0x0101010101010101u;
  word |= word >> 4;
  word |= word >> 2;
  word |= word >> 1;
  // The product puts the lowest bit of byte i at bit 56 + i.
  return (word & kLowest) * 0x0102040810204080u >> 56;
}

/// The coarser word of eight finer ones.
MOTE_LANE std::uint64_t word_of_finer(const std::uint64_t* finer) {
  std::uint64_t word = 0;
  for (std::size_t byte = 0; byte < 8; ++byte) word |= bytes_set(finer[byte]) << (8 * byte);
  return word;
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
  const OccupiedBox& box() const { return box_; }
  /// Whether the cell of a position in the field's frame is occupied; false outside of the cube.
  bool occupied(Vec3<float> position, int cascade) const;

  operator OccupancyView() const {
    return {words_.data(), blocks_.data(), densities_.data(), cascades_};
  }

 private:
  void add_finer(int cascade);
  void find_box();

  int cascades_;
  std::vector<std::uint64_t> words_, blocks_;
  std::vector<std::uint8_t> densities_;
  OccupiedBox box_;
};

/// The smaller of kOccupiedDensity and the mean density of the first cascade, where cells that no
/// camera sees have the density 0, as in instant-ngp.
float occupancy_threshold(const OccupancyDensities& densities);

/// A density after an update; that of a cell that no camera sees is kept. A measured NaN counts as
/// nothing.
constexpr MOTE_LANE float updated_density(float density, float measured, float decay) {
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
MOTE_LANE Vec3<float> cell_position(std::uint32_t cell, Vec3<float> place) {
  const float side = cascade_side(static_cast<int>(cell / kOccupancyCells));
  const OccupancyCell at = cell_of(static_cast<std::uint32_t>(cell % kOccupancyCells));
  const auto axis = [&](std::uint32_t index, float share) {
    return ((static_cast<float>(index) + share) * (1.0f / kOccupancySide) - 0.5f) * side + 0.5f;
  };
  return {axis(at.x, place.x), axis(at.y, place.y), axis(at.z, place.z)};
}

/// A uniformly random place in a cell, from 64 random bits.
MOTE_LANE Vec3<float> random_place(std::uint64_t bits) {
  constexpr std::uint64_t kMask = (1u << 21) - 1;
  const auto axis = [&](int shift) {
    return (static_cast<float>(bits >> shift & kMask) + 0.5f) * 0x1p-21f;
  };
  return {axis(0), axis(21), axis(42)};
}

}  // namespace mote
