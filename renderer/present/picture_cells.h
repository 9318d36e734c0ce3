#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace mote::present {

/// The parts of a picture that are drawn: cells of equal size, one bit each, row by row. The edges
/// between drawn and other cells are soft.
class PictureCells {
 public:
  static constexpr int kSide = 16;  // number of cells along each side
  using Bits = std::array<std::uint32_t, kSide * kSide / 32>;

  /// All cells are drawn.
  PictureCells() { bits_.fill(~0u); }

  void hide(int column, int row) {
    const std::size_t bit = index(column, row);
    bits_[bit / 32] &= ~(1u << (bit % 32));
  }
  bool is_drawn(int column, int row) const {
    const std::size_t bit = index(column, row);
    return (bits_[bit / 32] >> (bit % 32) & 1u) != 0;
  }
  const Bits& bits() const { return bits_; }

 private:
  static std::size_t index(int column, int row) {
    return static_cast<std::size_t>(row * kSide + column);
  }

  Bits bits_;
};

}  // namespace mote::present
