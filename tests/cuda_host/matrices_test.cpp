// The instructions of tensor cores against the element maps of the PTX ISA and a plain product.
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

#include "cuda/runtime/halves.h"
#include "cuda/runtime/matrices.h"
#include "cuda_host/controls.h"
#include "cuda_host/launch_fixture.h"
#include "cuda_host/planted_loads.h"

namespace cuda_host {
namespace {

constexpr unsigned kMatrixLanes = 32;

class Matrices : public HostRun, public testing::WithParamInterface<std::uint64_t> {
 protected:
  Matrices() { machine().schedule_seed = GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(seed, Matrices, testing::Values(0u, 1u, 2u));

struct Place {
  std::size_t row, column;
};

// PTX ISA 8.5, "Matrix Fragments for mma.m16n8k16 with floating point type", in its words.
Place place_of_a(std::size_t lane, std::size_t i) {
  const std::size_t group = lane >> 2, in_group = lane % 4;
  const std::size_t row = i < 2 || (4 <= i && i < 6) ? group : group + 8;
  return {row, i < 4 ? in_group * 2 + (i & 1) : in_group * 2 + (i & 1) + 8};
}
Place place_of_b(std::size_t lane, std::size_t i) {
  const std::size_t group = lane >> 2, in_group = lane % 4;
  return {i < 2 ? in_group * 2 + (i & 1) : in_group * 2 + (i & 1) + 8, group};
}
Place place_of_c(std::size_t lane, std::size_t i) {
  const std::size_t group = lane >> 2, in_group = lane % 4;
  return {i < 2 ? group : group + 8, in_group * 2 + (i & 1)};
}

struct Operands {
  const uint4* a;
  const uint2* b;
  const float4* c;
  float4* result;
};

MOTE_KERNEL(kMatrixLanes) multiply_as_halves(Operands p) {
  const unsigned lane = threadIdx.x;
  p.result[lane] = mote::cuda::multiply_halves(p.a[lane], p.b[lane], p.c[lane]);
}
MOTE_KERNEL(kMatrixLanes) multiply_as_bfloats(Operands p) {
  const unsigned lane = threadIdx.x;
  p.result[lane] = mote::cuda::multiply_bfloats(p.a[lane], p.b[lane], p.c[lane]);
}

using Kernel = void (*)(Operands);
using Bits = std::uint16_t (*)(float);

std::uint16_t bits_as_half(float value) {
  return __half_as_ushort(__float2half_rn(value));
}
/// For a value that a BF16 has.
std::uint16_t bits_as_bfloat(float value) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16);
}

using MatrixA = std::array<std::array<float, 16>, 16>;
using MatrixB = std::array<std::array<float, 8>, 16>;
using MatrixC = std::array<std::array<float, 8>, 16>;

/// Distributes the matrices over the lanes by the formulas above, multiplies, and collects.
MatrixC product(Kernel kernel, Bits bits, const MatrixA& a, const MatrixB& b, const MatrixC& c) {
  std::vector<uint4> own_a(kMatrixLanes);
  std::vector<uint2> own_b(kMatrixLanes);
  std::vector<float4> own_c(kMatrixLanes);
  for (std::size_t lane = 0; lane < kMatrixLanes; ++lane) {
    std::array<std::uint16_t, 8> of_a{};
    std::array<std::uint16_t, 4> of_b{};
    std::array<float, 4> of_c{};
    for (std::size_t i = 0; i < 8; ++i) {
      const Place place = place_of_a(lane, i);
      of_a[i] = bits(a[place.row][place.column]);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      const Place place = place_of_b(lane, i), sum = place_of_c(lane, i);
      of_b[i] = bits(b[place.row][place.column]);
      of_c[i] = c[sum.row][sum.column];
    }
    own_a[lane] = std::bit_cast<uint4>(of_a);
    own_b[lane] = std::bit_cast<uint2>(of_b);
    own_c[lane] = std::bit_cast<float4>(of_c);
  }
  const DeviceArray<uint4> on_a(own_a);
  const DeviceArray<uint2> on_b(own_b);
  const DeviceArray<float4> on_c(own_c), out(kMatrixLanes);
  const Operands operands{on_a.data(), on_b.data(), on_c.data(), out.data()};
  EXPECT_EQ(run({1, kMatrixLanes}, kernel, operands), cudaSuccess) << last_fault();
  MatrixC result{};
  const std::vector<float4> parts = out.values();
  for (std::size_t lane = 0; lane < kMatrixLanes; ++lane) {
    const auto own = std::bit_cast<std::array<float, 4>>(parts[lane]);
    for (std::size_t i = 0; i < 4; ++i) {
      const Place place = place_of_c(lane, i);
      result[place.row][place.column] = own[i];
    }
  }
  return result;
}

/// Values with few bits, which halves and BF16 have.
float few_bits(std::mt19937& random) {
  const auto units = static_cast<int>(random() % 255) - 127;
  return static_cast<float>(units) * std::ldexp(1.0f, -static_cast<int>(random() % 6));
}

template <class Matrix>
Matrix random_matrix(std::mt19937& random) {
  Matrix matrix{};
  for (auto& row : matrix) {
    for (float& value : row) value = few_bits(random);
  }
  return matrix;
}

double plain_element(const MatrixA& a, const MatrixB& b, const MatrixC& c, std::size_t row,
                     std::size_t column) {
  auto sum = static_cast<double>(c[row][column]);
  for (std::size_t k = 0; k < 16; ++k) {
    sum += static_cast<double>(a[row][k]) * static_cast<double>(b[k][column]);
  }
  return sum;
}

void expect_plain_products(Kernel kernel, Bits bits) {
  std::mt19937 random(3);
  for (int round = 0; round < 5; ++round) {
    const auto a = random_matrix<MatrixA>(random);
    const auto b = random_matrix<MatrixB>(random);
    const auto c = random_matrix<MatrixC>(random);
    const MatrixC result = product(kernel, bits, a, b, c);
    for (std::size_t row = 0; row < 16; ++row) {
      for (std::size_t column = 0; column < 8; ++column) {
        EXPECT_EQ(result[row][column], static_cast<float>(plain_element(a, b, c, row, column)));
      }
    }
  }
}

TEST_P(Matrices, ProductsOfHalvesAreThoseOfAPlainLoop) {
  expect_plain_products(multiply_as_halves, bits_as_half);
}
TEST_P(Matrices, ProductsOfBfloatsAreThoseOfAPlainLoop) {
  expect_plain_products(multiply_as_bfloats, bits_as_bfloat);
}

TEST_P(Matrices, EachElementOfALaneIsWhereThePtxManualSays) {
  MatrixB numbered{};
  for (std::size_t k = 0; k < 16; ++k) {
    for (std::size_t n = 0; n < 8; ++n) numbered[k][n] = static_cast<float>(8 * k + n + 1);
  }
  // A one in the place of one element of one lane picks a row of b.
  for (std::size_t lane = 0; lane < kMatrixLanes; lane += 5) {
    for (std::size_t i = 0; i < 8; ++i) {
      const Place place = place_of_a(lane, i);
      MatrixA a{};
      a[place.row][place.column] = 1;
      const MatrixC result = product(multiply_as_halves, bits_as_half, a, numbered, {});
      for (std::size_t row = 0; row < 16; ++row) {
        for (std::size_t n = 0; n < 8; ++n) {
          EXPECT_EQ(result[row][n], row == place.row ? numbered[place.column][n] : 0);
        }
      }
    }
  }
}

TEST_P(Matrices, TheMapsCoverEachElementOnce) {
  std::array<std::array<int, 16>, 16> a{};
  std::array<std::array<int, 8>, 16> b{}, c{};
  for (std::size_t lane = 0; lane < kMatrixLanes; ++lane) {
    for (std::size_t i = 0; i < 8; ++i) ++a[place_of_a(lane, i).row][place_of_a(lane, i).column];
    for (std::size_t i = 0; i < 4; ++i) ++b[place_of_b(lane, i).row][place_of_b(lane, i).column];
    for (std::size_t i = 0; i < 4; ++i) ++c[place_of_c(lane, i).row][place_of_c(lane, i).column];
  }
  for (const auto& row : a) {
    for (const int count : row) EXPECT_EQ(count, 1);
  }
  for (std::size_t row = 0; row < 16; ++row) {
    for (std::size_t n = 0; n < 8; ++n) EXPECT_EQ(b[row][n] + c[row][n], 2);
  }
}

TEST_P(Matrices, SumsAreTruncatedIfTheMachineSaysSo) {
  MatrixA a{};
  MatrixB b{};
  MatrixC c{};
  a[0][0] = b[0][0] = 1;
  c[0][0] = 0.75f * std::ldexp(1.0f, -23);  // of a unit in the last place of 1
  EXPECT_GT(product(multiply_as_halves, bits_as_half, a, b, c)[0][0], 1);
  machine().truncates_matrix_sums = true;
  EXPECT_EQ(product(multiply_as_halves, bits_as_half, a, b, c)[0][0], 1);
  a[0][0] = -1;
  c[0][0] = -c[0][0];
  EXPECT_EQ(product(multiply_as_halves, bits_as_half, a, b, c)[0][0], -1);
}

std::vector<std::uint16_t> counted_numbers() {
  std::vector<std::uint16_t> numbers(256);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::uint16_t>(i);
  return numbers;
}

TEST_P(Matrices, LoadsGiveEachLaneItsElementsOfFourMatrices) {
  const DeviceArray<std::uint16_t> numbers(counted_numbers());
  const DeviceArray<uint4> plain(kMatrixLanes), transposed(kMatrixLanes);
  const LoadParams params{numbers.data(), plain.data(), transposed.data()};
  ASSERT_EQ(run({1, kMatrixLanes}, kLoadEachWay.kernel, params), cudaSuccess) << last_fault();
  const std::vector<uint4> by_rows = plain.values(), by_columns = transposed.values();
  for (std::size_t lane = 0; lane < kMatrixLanes; ++lane) {
    const auto rows = std::bit_cast<std::array<std::uint16_t, 8>>(by_rows[lane]);
    const auto columns = std::bit_cast<std::array<std::uint16_t, 8>>(by_columns[lane]);
    for (std::size_t matrix = 0; matrix < 4; ++matrix) {
      for (std::size_t e = 0; e < 2; ++e) {
        // PTX ISA, "ldmatrix": row = lane / 4, columns = 2 (lane % 4) + e; .trans exchanges both.
        const std::size_t row = lane / 4, column = 2 * (lane % 4) + e;
        EXPECT_EQ(rows[2 * matrix + e], 64 * matrix + 8 * row + column);
        EXPECT_EQ(columns[2 * matrix + e], 64 * matrix + 8 * column + row);
      }
    }
  }
}

TEST_P(Matrices, LoadsFromOtherThanSharedMemoryAreAFault) {
  const DeviceArray<std::uint16_t> numbers(counted_numbers());
  const DeviceArray<uint4> out(kMatrixLanes);
  const LoadParams params{numbers.data(), out.data(), nullptr};
  EXPECT_NE(run({1, kMatrixLanes}, kLoadFromDeviceMemory.kernel, params), cudaSuccess);
  EXPECT_NE(last_fault().find("not in shared memory"), std::string::npos) << last_fault();
}

TEST_P(Matrices, ALoadOfWhatOtherLanesWroteWithoutOrderIsARace) {
  if (!accesses_can_be_checked()) GTEST_SKIP() << "kernels do not report their accesses";
  const DeviceArray<std::uint16_t> numbers(counted_numbers());
  const DeviceArray<uint4> out(kMatrixLanes);
  const LoadParams params{numbers.data(), out.data(), nullptr};
  EXPECT_NE(run({1, kMatrixLanes}, kLoadWithoutOrder.kernel, params), cudaSuccess);
}

TEST_P(Matrices, ProductsAreCounted) {
  EXPECT_EQ(matrix_products(), 0u);
  product(multiply_as_halves, bits_as_half, {}, {}, {});
  product(multiply_as_bfloats, bits_as_bfloat, {}, {}, {});
  EXPECT_EQ(matrix_products(), 2u);
}

}  // namespace
}  // namespace cuda_host
