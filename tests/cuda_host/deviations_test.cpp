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

}  // namespace
}  // namespace cuda_host
