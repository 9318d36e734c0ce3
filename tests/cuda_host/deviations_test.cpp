// The second compilation of the kernels differs from the first as a device may.

#include <gtest/gtest.h>

#include <cuda_host/deviations.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cuda/runtime/dialect.h"
#include "cuda_host/launch_fixture.h"
#include "lanes/scalar.h"

namespace cuda_host {
namespace {

using Deviations = HostRun;

MOTE_KERNEL(32) halve(float* values) {
  values[threadIdx.x] = values[threadIdx.x] * 0.5f;
}

TEST_F(Deviations, kernels_flush_denormal_numbers_on_request) {
  constexpr float kLeast = std::numeric_limits<float>::min();
  for (const bool flush : {false, true}) {
    machine().flush_to_zero = flush;
    const DeviceArray<float> values(std::vector<float>(32, kLeast));
    EXPECT_EQ(run({1, 32}, halve, values.data()), cudaSuccess);
    EXPECT_EQ(values.values()[5], flush ? 0.0f : kLeast / 2);
  }
}

TEST_F(Deviations, functions_deviate_by_up_to_two_units_in_the_last_place) {
  int farthest = 0;
  for (float a = -8; a < 0; a += 0.001f) {
    const float exact = std::exp2(a), found = mote::scalar_functions::exp2(a);
    const int apart = std::abs(__float_as_int(exact) - __float_as_int(found));
    EXPECT_LE(apart, 2);
    EXPECT_EQ(found, mote::scalar_functions::exp2(a));
    farthest = std::max(farthest, apart);
  }
  EXPECT_EQ(farthest, 2);
}

/// How far the float quotient is from the one that is computed in double precision.
int units_apart(float quotient, float dividend, float divisor) {
  // Otherwise the compiler divides floats here, too.
  const volatile double exact = double{dividend} / double{divisor};
  return __float_as_int(quotient) - __float_as_int(static_cast<float>(exact));
}

TEST_F(Deviations, divisions_deviate_up_or_down_depending_on_their_place) {
  std::vector<float> dividends(999);
  for (std::size_t k = 0; k < dividends.size(); ++k) {
    dividends[k] = 1 + 0.01f * static_cast<float>(k);
  }
  int one_least = 9, one_most = -9, other_least = 9, other_most = -9;
  for (const float a : dividends) {
    const volatile float dividend = a, divisor = 3;
    const int one = units_apart(dividend / divisor, dividend, divisor);
    const int other = units_apart(dividend / divisor, dividend, divisor);
    one_least = std::min(one_least, one);
    one_most = std::max(one_most, one);
    other_least = std::min(other_least, other);
    other_most = std::max(other_most, other);
  }
  if (one_most < 0) std::swap(one_least, other_least), std::swap(one_most, other_most);
  EXPECT_EQ(one_least, 1);
  EXPECT_EQ(one_most, 2);
  EXPECT_EQ(other_least, -2);
  EXPECT_EQ(other_most, -1);
}

TEST_F(Deviations, divisions_by_zero_and_of_zero_stay_as_they_are) {
  volatile float zero = 0, one = 1;
  EXPECT_EQ(zero / one, 0.0f);
  EXPECT_EQ(one / zero, std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(zero / zero));
}

}  // namespace
}  // namespace cuda_host
