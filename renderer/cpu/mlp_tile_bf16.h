#pragma once

// The products of mlp_tile.h with factors in BF16 (the upper half of a float) and sums in float, by
// AVX512_BF16: an instruction multiplies pairs of values and adds both products to a sum. Only
// kernel files for that instruction set include this.
//
// Values of a tile are kept twice: with neighbouring features as pairs, for products that add over
// features, and with neighbouring samples as pairs, for the gradient of the weights.

#include "cpu/mlp_tile.h"

namespace mote::MOTE_ISA {

using Bf16 = std::uint16_t;  // bits

// Features of a sample that are beside each other in rows.
#ifdef __AMX_BF16__
inline constexpr std::size_t kRowFeatures = 32;
#else
inline constexpr std::size_t kRowFeatures = kPanel;
#endif

/// Place of a value in rows.
constexpr std::size_t row_place(std::size_t feature, std::size_t sample) {
  return feature / kRowFeatures * kRowFeatures * kTile + sample * kRowFeatures +
         feature % kRowFeatures;
}

/// BF16 values of a layer in rows or in pairs.
constexpr std::size_t bf16_values(int features) {
  return (static_cast<std::size_t>(features) + kRowFeatures - 1) / kRowFeatures * kRowFeatures *
         kTile;
}

/// Values of a tile. A layer has bf16_values() of each.
struct Bf16Panels {
  Bf16* rows;   // [...][sample][kRowFeatures]; see row_place()
  Bf16* pairs;  // [panel][sample / 2][16][2], with feature_offset(); null: not wanted
};

MOTE_LANE __m512bh load_bf16(const Bf16* aligned) {
  return (__m512bh)_mm512_load_si512(aligned);
}
/// The same pair in all lanes.
MOTE_LANE __m512bh repeat_pair(const Bf16* pair) {
  int bits;
  std::memcpy(&bits, pair, sizeof(bits));
  return (__m512bh)_mm512_set1_epi32(bits);
}

/// Two rows of 16 values, rounded to the nearest BF16: `first`, then `second`.
MOTE_LANE __m512i to_bf16(__m512 first, __m512 second) {
  return (__m512i)_mm512_cvtne2ps_pbh(second, first);
}
/// The pairs of these two rows' values.
MOTE_LANE __m512i to_pairs(__m512i rows) {
  const __m512i places =
      _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6,
                       21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
  return _mm512_permutexvar_epi16(places, rows);
}

/// Stores 16 features, from `feature` on, of the samples `sample`, which is even, and the next one.
MOTE_LANE void store_rows(__m512 first, __m512 second, Bf16Panels to, std::size_t feature,
                          std::size_t sample) {
  const __m512i rows = to_bf16(first, second);
  if constexpr (kRowFeatures == kPanel) {
    _mm512_store_si512(to.rows + row_place(feature, sample), rows);
  } else {
    auto* own = reinterpret_cast<__m256i*>(to.rows + row_place(feature, sample));
    _mm256_store_si256(own, _mm512_castsi512_si256(rows));
    _mm256_store_si256(own + kRowFeatures / kPanel, _mm512_extracti64x4_epi64(rows, 1));
  }
  if (to.pairs != nullptr) {
    _mm512_store_si512(to.pairs + feature_offset(feature) + sample * kPanel, to_pairs(rows));
  }
}

/// Converts panels of a tile.
inline void convert_panels(const float* from, std::size_t features, Bf16Panels to) {
  for (std::size_t f = 0; f < features; f += kPanel) {
    for (std::size_t s = 0; s < kTile; s += 2, from += 2 * kPanel) {
      store_rows(_mm512_load_ps(from), _mm512_load_ps(from + kPanel), to, f, s);
    }
  }
}

/// to [rows / 2][columns][2] = matrix [rows][columns].
inline void convert_matrix(const float* matrix, std::size_t rows, std::size_t columns, Bf16* to) {
  for (std::size_t r = 0; r < rows; r += 2) {
    const float* row = matrix + r * columns;
    for (std::size_t c = 0; c < columns; c += kPanel, to += 2 * kPanel) {
      const __m512i both = to_bf16(_mm512_load_ps(row + c), _mm512_load_ps(row + columns + c));
      _mm512_store_si512(to, to_pairs(both));
    }
  }
}

/// from [sample][inputs] * matrix [inputs][outputs]. With Finish::none the results are floats.
struct Bf16Product {
  const Bf16* matrix;  // [inputs / 2][...][2]
  std::size_t row;     // values from a row of pairs to the next
  std::size_t inputs, outputs;
  const Bf16* from;     // rows
  float* sums;          // of Finish::none: [sample][outputs]
  Bf16Panels to;        // otherwise
  const Bf16* results;  // of Finish::relu_vjp: rows
};

/// Sums of PACKS packs of outputs from `first` on, for SAMPLES samples from `s` on.
template <std::size_t SAMPLES, std::size_t PACKS>
MOTE_LANE void sum_products(const Bf16Product& product, std::size_t first, std::size_t s,
                            __m512 (&sums)[SAMPLES][PACKS]) {
  unroll<SAMPLES>([&]<std::size_t S>() {
    unroll<PACKS>([&]<std::size_t P>() { sums[S][P] = _mm512_setzero_ps(); });
  });
  const Bf16* weights = product.matrix + 2 * first;
  for (std::size_t i = 0; i < product.inputs; i += kPanel) {
    const Bf16* values = product.from + row_place(i, s);
    const std::size_t left = product.inputs - i;
    const Bf16* end = values + (left < kPanel ? left : kPanel);
    for (; values != end; values += 2, weights += product.row) {
      __m512bh w[PACKS];
      unroll<PACKS>([&]<std::size_t P>() { w[P] = load_bf16(weights + 2 * kPanel * P); });
      unroll<SAMPLES>([&]<std::size_t S>() {
        const __m512bh x = repeat_pair(values + S * kRowFeatures);
        unroll<PACKS>([&]<std::size_t P>() { sums[S][P] = _mm512_dpbf16_ps(sums[S][P], w[P], x); });
      });
    }
  }
}

/// `place`: that of the results, in rows.
template <Finish FINISH>
MOTE_LANE __m512 finished(__m512 sum, const Bf16* results, std::size_t place) {
  if constexpr (FINISH == Finish::relu) return _mm512_max_ps(sum, _mm512_setzero_ps());
  if constexpr (FINISH == Finish::relu_vjp) {
    // The sign of a BF16 is that of a 16-bit integer with its bits.
    const __m256i bits = _mm256_load_si256(reinterpret_cast<const __m256i*>(results + place));
    return _mm512_maskz_mov_ps(_mm256_cmpgt_epi16_mask(bits, _mm256_setzero_si256()), sum);
  }
  return sum;
}

/// Finishes the sums of 16 outputs and two samples.
template <Finish FINISH>
MOTE_LANE void finish_rows(const Bf16Product& product, __m512 even, __m512 odd, std::size_t feature,
                           std::size_t sample) {
  const std::size_t place = row_place(feature, sample);
  store_rows(finished<FINISH>(even, product.results, place),
             finished<FINISH>(odd, product.results, place + kRowFeatures), product.to, feature,
             sample);
}

template <Finish FINISH, std::size_t PACKS>
void multiply_columns(const Bf16Product& product, std::size_t first) {
  constexpr std::size_t kSamples = kSums / PACKS;
  for (std::size_t s = 0; s < kTile; s += kSamples) {
    __m512 sums[kSamples][PACKS];
    sum_products(product, first, s, sums);
    unroll<kSamples / 2>([&]<std::size_t S>() {
      unroll<PACKS>([&]<std::size_t P>() {
        const std::size_t feature = first + P * kPanel, sample = s + 2 * S;
        const __m512 even = sums[2 * S][P], odd = sums[2 * S + 1][P];
        if constexpr (FINISH == Finish::none) {
          float* own = product.sums + feature_offset(feature) + sample * kPanel;
          _mm512_store_ps(own, even);
          _mm512_store_ps(own + kPanel, odd);
        } else {
          finish_rows<FINISH>(product, even, odd, feature, sample);
        }
      });
    });
  }
}

/// The matrix of multiply_quad(): [inputs / 8][4 outputs][8 inputs] of the first four outputs of a
/// layer's matrix [outputs][inputs].
inline void convert_quad(const float* matrix, std::size_t inputs, Bf16* to) {
  alignas(64) float pieces[2 * kPanel];
  for (std::size_t i = 0; i < inputs; i += 8, to += 2 * kPanel) {
    for (std::size_t o = 0; o < kOutputQuad; ++o) {
      std::memcpy(pieces + 8 * o, matrix + o * inputs + i, 8 * sizeof(float));
    }
    _mm512_store_si512(to, to_bf16(_mm512_load_ps(pieces), _mm512_load_ps(pieces + kPanel)));
  }
}

/// The first four outputs of a layer: to [output][kTile] from rows [sample][inputs]. A lane is an
/// output and a pair of eight inputs.
inline void multiply_quad(const Bf16* matrix, std::size_t inputs, const Bf16* from, float* to) {
  constexpr std::size_t kSamples = 8;
  const hn::FixedTag<float, 4> block;
  for (std::size_t s = 0; s < kTile; s += kSamples) {
    __m512 sums[kSamples];
    unroll<kSamples>([&]<std::size_t S>() { sums[S] = _mm512_setzero_ps(); });
    for (std::size_t i = 0; i < inputs; i += 8) {
      const __m512bh weights = load_bf16(matrix + i * kOutputQuad);
      const Bf16* values = from + row_place(i, s);
      unroll<kSamples>([&]<std::size_t S>() {
        const auto* own = reinterpret_cast<const __m128i*>(values + S * kRowFeatures);
        const auto x = (__m512bh)_mm512_broadcast_i32x4(_mm_load_si128(own));
        sums[S] = _mm512_dpbf16_ps(sums[S], weights, x);
      });
    }
    unroll<kSamples / 4>([&]<std::size_t QUAD>() {
      const auto sum = [&](std::size_t i) { return Pack(hn::Vec<PackTag>{sums[4 * QUAD + i]}); };
      const PackQuad parts = transpose_blocks({sum(0), sum(1), sum(2), sum(3)});
      alignas(64) float totals[kLanes];
      store((parts.first + parts.second) + (parts.third + parts.fourth), totals);
      for (std::size_t o = 0; o < kOutputQuad; ++o) {
        hn::Store(hn::Load(block, totals + 4 * o), block, to + o * kTile + s + 4 * QUAD);
      }
    });
  }
}

/// The gradient of a layer's weights: matrix [outputs][inputs] += d * from, both in pairs of
/// samples.
struct Bf16Gradient {
  const Bf16 *d, *from;
  std::size_t outputs, inputs;
  float* matrix;
};

/// As for floats.
template <std::size_t ROWS, std::size_t PACKS>
std::size_t add_rows(const Bf16Gradient& gradient, std::size_t output, std::size_t input) {
  const std::size_t row = gradient.inputs;
  for (; output + ROWS <= gradient.outputs; output += ROWS) {
    const Bf16* d = gradient.d + output / kPanel * kPanelFloats + output % kPanel * 2;
    const Bf16* values = gradient.from + feature_offset(input);
    __m512 sums[ROWS][PACKS];
    unroll<ROWS>([&]<std::size_t R>() {
      unroll<PACKS>([&]<std::size_t P>() { sums[R][P] = _mm512_setzero_ps(); });
    });
    for (std::size_t s = 0; s < kTile; s += 2, d += 2 * kPanel, values += 2 * kPanel) {
      __m512bh x[PACKS];
      unroll<PACKS>([&]<std::size_t P>() { x[P] = load_bf16(values + pack_offset(P)); });
      unroll<ROWS>([&]<std::size_t R>() {
        const __m512bh own = repeat_pair(d + 2 * R);
        unroll<PACKS>(
            [&]<std::size_t P>() { sums[R][P] = _mm512_dpbf16_ps(sums[R][P], x[P], own); });
      });
    }
    float* matrix = gradient.matrix + output * row + input;
    unroll<ROWS>([&]<std::size_t R>() {
      unroll<PACKS>([&]<std::size_t P>() {
        float* own = matrix + R * row + P * kPanel;
        _mm512_store_ps(own, _mm512_add_ps(_mm512_load_ps(own), sums[R][P]));
      });
    });
  }
  return output;
}

/// The products by vectors.
struct VectorProducts {
  template <Finish FINISH>
  static void multiply(const Bf16Product& product);
  /// The number of outputs is a multiple of four.
  static void add_all_products(const Bf16Gradient& gradient);
};

template <Finish FINISH>
void VectorProducts::multiply(const Bf16Product& product) {
  std::size_t first = 0;
  const auto columns = [&]<std::size_t PACKS>() {
    for (; first + PACKS * kPanel <= product.outputs; first += PACKS * kPanel) {
      multiply_columns<FINISH, PACKS>(product, first);
    }
  };
  columns.template operator()<4>();
  columns.template operator()<2>();
  columns.template operator()<1>();
}

inline void VectorProducts::add_all_products(const Bf16Gradient& gradient) {
  std::size_t input = 0;
  const auto columns = [&]<std::size_t PACKS>() {
    for (; input + PACKS * kPanel <= gradient.inputs; input += PACKS * kPanel) {
      const std::size_t done = add_rows<16 / PACKS, PACKS>(gradient, 0, input);
      if constexpr (PACKS < 4) add_rows<kOutputQuad, PACKS>(gradient, done, input);
    }
  };
  columns.template operator()<4>();
  columns.template operator()<2>();
  columns.template operator()<1>();
}

}  // namespace mote::MOTE_ISA
