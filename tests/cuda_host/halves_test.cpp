// The host run's numbers of half precision.
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

unsigned bits_of(float value) {
  return __half_as_ushort(__float2half_rn(value));
}

TEST(Halves, EachKeepsItsBitsThroughFloat) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const float value = __half2float(__ushort_as_half(static_cast<unsigned short>(bits)));
    const bool nan = (bits & 0x7fff) > 0x7c00;
    EXPECT_EQ(std::isnan(value), nan) << bits;
    if (nan) continue;
    EXPECT_EQ(bits_of(value), bits);
  }
}

TEST(Halves, HaveTheValuesOfIeee754) {
  EXPECT_EQ(bits_of(1), 0x3c00u);
  EXPECT_EQ(bits_of(-2), 0xc000u);
  EXPECT_EQ(bits_of(65504), 0x7bffu) << "the largest";
  EXPECT_EQ(bits_of(std::ldexp(1.0f, -14)), 0x0400u) << "the smallest normal number";
  EXPECT_EQ(bits_of(std::ldexp(1.0f, -24)), 0x0001u) << "the smallest";
  EXPECT_EQ(bits_of(-0.0f), 0x8000u);
  EXPECT_EQ(bits_of(kInfinity), 0x7c00u);
}

TEST(Halves, RoundToTheNearestAndTiesToEven) {
  const float ulp = std::ldexp(1.0f, -10);  // from 1 to 2
  EXPECT_EQ(bits_of(1 + 0.49f * ulp), 0x3c00u);
  EXPECT_EQ(bits_of(1 + 0.5f * ulp), 0x3c00u);
  EXPECT_EQ(bits_of(1 + 0.51f * ulp), 0x3c01u);
  EXPECT_EQ(bits_of(1 + 1.5f * ulp), 0x3c02u);
  EXPECT_EQ(bits_of(2 - 0.25f * ulp), 0x4000u) << "carries into the exponent";
  EXPECT_EQ(bits_of(std::ldexp(1.0f, -25)), 0u);
  EXPECT_EQ(bits_of(std::ldexp(3.0f, -25)), 2u);
  EXPECT_EQ(bits_of(65519), 0x7bffu);
  EXPECT_EQ(bits_of(65520), 0x7c00u);
}

TEST(Halves, OperationsRoundOnce) {
  const __half2 a = __floats2half2_rn(1 + std::ldexp(1.0f, -10), 3), b = __floats2half2_rn(1.5f, 4);
  EXPECT_EQ(__low2float(__hmul2(a, b)), 1.5f + std::ldexp(1.0f, -9)) << "a tie";
  EXPECT_EQ(__high2float(__hmul2(a, b)), 12);
  EXPECT_EQ(__high2float(__hsub2(a, b)), -1);
  const __half2 c = __float2half2_rn(-1.5f);
  EXPECT_EQ(__low2float(__hfma2(a, b, c)), 1.5f * std::ldexp(1.0f, -10)) << "the exact product";
  EXPECT_EQ(__low2float(__hmin2(a, b)), __low2float(a));
  EXPECT_EQ(__low2float(__hmin2(__float2half2_rn(NAN), b)), 1.5f);
}

TEST(Halves, MasksComparePerHalf) {
  const __half2 a = __floats2half2_rn(1, 2), b = __floats2half2_rn(2, 2);
  EXPECT_EQ(__hge2_mask(a, b), 0xffff0000u);
  EXPECT_EQ(__hge2_mask(b, a), 0xffffffffu);
  EXPECT_EQ(__hge2_mask(__float2half2_rn(NAN), a), 0u);
  EXPECT_EQ(__hgt2_mask(a, a), 0u);
  EXPECT_EQ(__hgt2_mask(a, b), __hge2_mask(b, a) ^ 0xffffffffu);
  EXPECT_EQ(__hgt2_mask(__float2half2_rn(NAN), a), 0u);
}

}  // namespace
