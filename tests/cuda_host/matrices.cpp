// Products of matrices by a warp. The last lane to arrive gathers the parts of all lanes,
// multiplies the whole matrices, and gives each lane its part of the result.

#include <cuda_host/matrices.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include <cuda_fp16.h>
#include <cuda_host/warp_words.h>

#include "access_check.h"
#include "block_memory.h"
#include "controls.h"
#include "interpreter.h"
#include "matrix_count.h"
#include "shared_wavefronts.h"
#include "stuck_threads.h"

namespace cuda_host {
namespace {

constexpr std::size_t kRows = 16, kColumns = 8, kInner = 16, kLanes = 32;

/// The values of all halves, by their bits.
const std::array<float, 65536>& half_values() {
  static const auto values = [] {
    std::array<float, 65536> all{};
    for (unsigned bits = 0; bits < all.size(); ++bits) {
      all[bits] = float_of(__half{static_cast<std::uint16_t>(bits)});
    }
    return all;
  }();
  return values;
}

double number_of(MatrixNumber number, std::uint32_t word, std::size_t upper) {
  const auto bits = static_cast<std::uint16_t>(upper == 0 ? word : word >> 16);
  const float value = number == MatrixNumber::half
                          ? half_values()[bits]
                          : std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  return static_cast<double>(value);
}

/// A float from a sum in double precision.
float rounded(double sum) {
  const auto nearest = static_cast<float>(sum);
  const bool grew = std::fabs(static_cast<double>(nearest)) > std::fabs(sum);
  return machine().truncates_matrix_sums && grew ? std::nextafter(nearest, 0.0f) : nearest;
}

std::uint64_t products = 0;

struct Product {
  MatrixNumber number;
  std::array<std::uint32_t, 4> a;
  std::array<std::uint32_t, 2> b;
  std::array<float, 4> c;
};

void multiply(void* const* lanes, unsigned) {
  ++products;
  double a[kRows][kInner], b[kInner][kColumns], sum[kRows][kColumns];
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const Product& own = *static_cast<const Product*>(lanes[lane]);
    const std::size_t g = lane / 4, t = lane % 4;
    for (std::size_t i = 0; i < 8; ++i) {
      a[g + 8 * (i / 2 % 2)][2 * t + i % 2 + 8 * (i / 4)] =
          number_of(own.number, own.a[i / 2], i % 2);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      b[2 * t + i % 2 + 8 * (i / 2)][g] = number_of(own.number, own.b[i / 2], i % 2);
      sum[g + 8 * (i / 2)][2 * t + i % 2] = static_cast<double>(own.c[i]);
    }
  }
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t k = 0; k < kInner; ++k) {
      for (std::size_t column = 0; column < kColumns; ++column) {
        sum[row][column] += a[row][k] * b[k][column];
      }
    }
  }
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    Product& own = *static_cast<Product*>(lanes[lane]);
    for (std::size_t i = 0; i < 4; ++i) {
      own.c[i] = rounded(sum[lane / 4 + 8 * (i / 2)][2 * (lane % 4) + i % 2]);
    }
  }
}

struct RowLoad {
  const void* row;
  bool transposed;
  std::array<std::uint32_t, 4> words;
};

void load(void* const* lanes, unsigned) {
  for (std::size_t matrix = 0; matrix < 4; ++matrix) {
    std::uint16_t at[8][8];
    for (std::size_t row = 0; row < 8; ++row) {
      std::memcpy(at[row], static_cast<const RowLoad*>(lanes[8 * matrix + row])->row, sizeof at[0]);
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      RowLoad& own = *static_cast<RowLoad*>(lanes[lane]);
      const std::size_t g = lane / 4, t = lane % 4;
      const std::uint32_t low = own.transposed ? at[2 * t][g] : at[g][2 * t];
      const std::uint32_t high = own.transposed ? at[2 * t + 1][g] : at[g][2 * t + 1];
      own.words[matrix] = low | high << 16;
    }
  }
}

}  // namespace

std::uint64_t matrix_products() {
  return products;
}

void forget_matrix_products() {
  products = 0;
}

float4 multiply_matrices(MatrixNumber number, uint4 a, uint2 b, float4 c, Site site) {
  Product own{number, {a.x, a.y, a.z, a.w}, {b.x, b.y}, {c.x, c.y, c.z, c.w}};
  warp_operation(0xffffffffu, &own, multiply, site);
  return {own.c[0], own.c[1], own.c[2], own.c[3]};
}

uint4 load_matrices(const void* row, bool transposed, Site site) {
  constexpr std::size_t kRow_bytes = 16;
  if (!is_shared_memory(row)) {
    fault("loads a matrix that is not in shared memory " + describe({0, site}));
  }
  note_shared_access(row, kRow_bytes, __builtin_return_address(0));
  note_aligned_access(row, kRow_bytes, Access::read);
  RowLoad own{row, transposed, {}};
  warp_operation(0xffffffffu, &own, load, site);
  return {own.words[0], own.words[1], own.words[2], own.words[3]};
}

uint4 load_whole(const uint4* address) {
  note_shared_access(address, sizeof(uint4), __builtin_return_address(0));
  note_aligned_access(address, sizeof(uint4), Access::read);
  return *address;
}

}  // namespace cuda_host
