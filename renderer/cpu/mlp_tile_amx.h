#pragma once

// The products of mlp_tile_bf16.h with the matrix unit of a processor (AMX): an instruction
// multiplies 16 rows of 32 values by 16 columns of them, and adds the 256 results to a tile of
// sums. Only kernel files for that instruction set include this.
//
// A unit's tile is here called a square. The layouts of mlp_tile_bf16.h are those of the unit: rows
// are a left factor, and pairs are a right one. Only the gradient of the weights has pairs on both
// sides, and transposes one of them. A product over 32 values takes no longer than one over 16, so
// that rows have 32 features beside each other.

#include "cpu/mlp_tile_bf16.h"

namespace mote::MOTE_ISA {

inline constexpr std::size_t kSide = 16;   // of a square of sums
inline constexpr std::size_t kDepth = 32;  // values that a product adds over
static_assert(kTile % (2 * kSide) == 0 && kPanel == kSide && kRowFeatures == kDepth);

/// Ends the stores of what the unit's instructions load: the compiler does not see their reads.
MOTE_LANE void finish_stores() {
  asm volatile("" ::: "memory");
}

/// The squares of this thread, from the construction to the destruction: 0 to 3 are sums, 4 and 5
/// left factors, 6 and 7 right ones.
class MatrixUnit {
 public:
  MatrixUnit() { shape_for<kDepth>(); }
  ~MatrixUnit() { _tile_release(); }
  MatrixUnit(const MatrixUnit&) = delete;
  MatrixUnit& operator=(const MatrixUnit&) = delete;

  template <Finish FINISH>
  static void multiply(const Bf16Product& product);
  static void add_all_products(const Bf16Gradient& gradient);

 private:
  struct alignas(64) Shapes {
    std::uint8_t palette = 1;
    std::uint8_t unused[15] = {};
    std::uint16_t row_bytes[16] = {};
    std::uint8_t rows[16] = {};
  };

  /// Shapes all squares for products over DEPTH values, and sets them to zero.
  template <std::size_t DEPTH>
  static void shape_for() {
    Shapes shapes;
    for (std::size_t square = 0; square < 8; ++square) {
      const bool is_left = square == 4 || square == 5, is_right = square >= 6;
      shapes.row_bytes[square] = is_left ? DEPTH * sizeof(Bf16) : kSide * sizeof(float);
      shapes.rows[square] = is_right ? DEPTH / 2 : kSide;
    }
    finish_stores();
    _tile_loadconfig(&shapes);
  }

  template <Finish FINISH, std::size_t DEPTH>
  static void multiply_all(const Bf16Product& product);
};

/// One or two squares of a factor in memory.
struct Factor {
  const Bf16* first;
  std::size_t row;   // values from a row of a square to the next
  std::size_t next;  // values from the first square to the second
};

/// sums += left * right, of ROWS squares on the left and COLUMNS on the right. Square 2 r + c has
/// the sums of row r and column c.
template <std::size_t ROWS, std::size_t COLUMNS>
MOTE_LANE void add_squares(const Factor& left, const Factor& right) {
  _tile_loadd(4, left.first, left.row * sizeof(Bf16));
  _tile_loadd(6, right.first, right.row * sizeof(Bf16));
  _tile_dpbf16ps(0, 4, 6);
  if constexpr (COLUMNS == 2) {
    _tile_loadd(7, right.first + right.next, right.row * sizeof(Bf16));
    _tile_dpbf16ps(1, 4, 7);
  }
  if constexpr (ROWS == 2) {
    _tile_loadd(5, left.first + left.next, left.row * sizeof(Bf16));
    _tile_dpbf16ps(2, 5, 6);
    if constexpr (COLUMNS == 2) _tile_dpbf16ps(3, 5, 7);
  }
}

/// Finishes the sums of 16 samples and 16 outputs.
template <Finish FINISH>
MOTE_LANE void finish_square(const Bf16Product& product, const float* sums, std::size_t feature,
                             std::size_t sample) {
  unroll<kSide / 2>([&]<std::size_t S>() {
    finish_rows<FINISH>(product, _mm512_load_ps(sums + 2 * S * kSide),
                        _mm512_load_ps(sums + (2 * S + 1) * kSide), feature, sample + 2 * S);
  });
}

/// COLUMNS panels of outputs from `first` on, of which a product adds over DEPTH inputs.
template <Finish FINISH, std::size_t DEPTH, std::size_t COLUMNS>
void multiply_squares(const Bf16Product& product, std::size_t first) {
  alignas(64) float sums[4][kSide * kSide];
  for (std::size_t s = 0; s < kTile; s += 2 * kSide) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    // With half the depth, two steps share a row.
    for (std::size_t i = 0; i < product.inputs; i += DEPTH) {
      add_squares<2, COLUMNS>(
          {product.from + row_place(i, s), kRowFeatures, kSide * kRowFeatures},
          {product.matrix + i / 2 * product.row + 2 * first, product.row, 2 * kPanel});
    }
    if constexpr (FINISH == Finish::none) {
      constexpr std::size_t kRow = kPanel * sizeof(float);
      float* to = product.sums + feature_offset(first) + s * kPanel;
      _tile_stored(0, to, kRow);
      _tile_stored(2, to + kSide * kPanel, kRow);
      if constexpr (COLUMNS == 2) {
        _tile_stored(1, to + kPanelFloats, kRow);
        _tile_stored(3, to + kPanelFloats + kSide * kPanel, kRow);
      }
    } else {
      constexpr std::size_t kRow = kSide * sizeof(float);
      _tile_stored(0, sums[0], kRow);
      _tile_stored(2, sums[2], kRow);
      if constexpr (COLUMNS == 2) {
        _tile_stored(1, sums[1], kRow);
        _tile_stored(3, sums[3], kRow);
      }
      unroll<COLUMNS>([&]<std::size_t C>() {
        finish_square<FINISH>(product, sums[C], first + C * kPanel, s);
        finish_square<FINISH>(product, sums[2 + C], first + C * kPanel, s + kSide);
      });
    }
  }
}

template <Finish FINISH, std::size_t DEPTH>
void MatrixUnit::multiply_all(const Bf16Product& product) {
  std::size_t first = 0;
  for (; first + 2 * kPanel <= product.outputs; first += 2 * kPanel) {
    multiply_squares<FINISH, DEPTH, 2>(product, first);
  }
  if (first < product.outputs) multiply_squares<FINISH, DEPTH, 1>(product, first);
}

/// Products over fewer than 16 inputs are left to vectors.
template <Finish FINISH>
void MatrixUnit::multiply(const Bf16Product& product) {
  if (product.inputs % kPanel != 0) return VectorProducts::multiply<FINISH>(product);
  finish_stores();
  if (product.inputs % kDepth == 0) return multiply_all<FINISH, kDepth>(product);
  shape_for<kPanel>();
  multiply_all<FINISH, kPanel>(product);
  shape_for<kDepth>();
}

/// to [row][16] = from [16][...]: pairs of values, of which a row has 16. The rows of `from` are
/// consecutive.
MOTE_LANE void transpose_pairs(const Bf16* from, Bf16* to) {
  __m512i rows[kSide], mixed[kSide];
  unroll<kSide>([&]<std::size_t R>() { rows[R] = _mm512_load_si512(from + 2 * kSide * R); });
  unroll<kSide / 2>([&]<std::size_t R>() {
    mixed[2 * R] = _mm512_unpacklo_epi32(rows[2 * R], rows[2 * R + 1]);
    mixed[2 * R + 1] = _mm512_unpackhi_epi32(rows[2 * R], rows[2 * R + 1]);
  });
  // Blocks of four rows: blocks of four columns in each of the four quarters of a vector.
  unroll<kSide / 4>([&]<std::size_t Q>() {
    constexpr std::size_t i = 4 * Q;
    rows[i] = _mm512_unpacklo_epi64(mixed[i], mixed[i + 2]);
    rows[i + 1] = _mm512_unpackhi_epi64(mixed[i], mixed[i + 2]);
    rows[i + 2] = _mm512_unpacklo_epi64(mixed[i + 1], mixed[i + 3]);
    rows[i + 3] = _mm512_unpackhi_epi64(mixed[i + 1], mixed[i + 3]);
  });
  unroll<4>([&]<std::size_t C>() {
    const __m512i low = _mm512_shuffle_i32x4(rows[C], rows[4 + C], 0x88);
    const __m512i low_odd = _mm512_shuffle_i32x4(rows[C], rows[4 + C], 0xdd);
    const __m512i high = _mm512_shuffle_i32x4(rows[8 + C], rows[12 + C], 0x88);
    const __m512i high_odd = _mm512_shuffle_i32x4(rows[8 + C], rows[12 + C], 0xdd);
    const auto put = [&](std::size_t column, __m512i row) {
      _mm512_store_si512(to + 2 * kSide * column, row);
    };
    put(C, _mm512_shuffle_i32x4(low, high, 0x88));
    put(8 + C, _mm512_shuffle_i32x4(low, high, 0xdd));
    put(4 + C, _mm512_shuffle_i32x4(low_odd, high_odd, 0x88));
    put(12 + C, _mm512_shuffle_i32x4(low_odd, high_odd, 0xdd));
  });
}

/// Adds to COLUMNS squares of the matrix, from the transposed gradients of 16 outputs.
template <std::size_t COLUMNS>
MOTE_LANE void add_weight_squares(const Bf16Gradient& gradient, const Bf16* transposed,
                                  std::size_t output, std::size_t input) {
  float* matrix = gradient.matrix + output * gradient.inputs + input;
  const std::size_t row = gradient.inputs * sizeof(float);
  _tile_loadd(0, matrix, row);
  if constexpr (COLUMNS == 2) _tile_loadd(1, matrix + kSide, row);
  const Bf16* values = gradient.from + feature_offset(input);
  for (std::size_t s = 0; s < kTile; s += kDepth) {
    add_squares<1, COLUMNS>({transposed + s * kSide, kDepth, 0},
                            {values + s * kPanel, 2 * kPanel, kPanelFloats});
  }
  _tile_stored(0, matrix, row);
  if constexpr (COLUMNS == 2) _tile_stored(1, matrix + kSide, row);
}

/// Gradients of fewer than 16 outputs are left to vectors.
inline void MatrixUnit::add_all_products(const Bf16Gradient& gradient) {
  if (gradient.outputs % kPanel != 0) return VectorProducts::add_all_products(gradient);
  alignas(64) Bf16 transposed[kPanelFloats];
  for (std::size_t output = 0; output < gradient.outputs; output += kPanel) {
    const Bf16* d = gradient.d + feature_offset(output);
    for (std::size_t s = 0; s < kTile; s += 2 * kSide) {
      transpose_pairs(d + s * kPanel, transposed + s * kSide);
    }
    finish_stores();
    std::size_t input = 0;
    for (; input + 2 * kPanel <= gradient.inputs; input += 2 * kPanel) {
      add_weight_squares<2>(gradient, transposed, output, input);
    }
    if (input < gradient.inputs) add_weight_squares<1>(gradient, transposed, output, input);
  }
}

}  // namespace mote::MOTE_ISA
