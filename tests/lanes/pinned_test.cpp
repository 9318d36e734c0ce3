// PinnedFloat gives the same bits whether or not the compiler fuses products and sums.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "pinned_pass.h"

namespace mote {
namespace {

std::vector<SpanInput> random_inputs() {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> unit(0, 1);
  std::vector<SpanInput> inputs(20'000);
  for (SpanInput& in : inputs) {
    const float extent = 1 + 200 * unit(random);
    in = {.curvature_u = 0.001f + unit(random),
          .shear = 2 * unit(random) - 1,
          .curvature_y = 0.001f + unit(random),
          .shear_x = 2 * unit(random) - 1,
          .limit = 8 * unit(random),
          .extent_x = extent,
          .extent_y = extent * unit(random),
          .top = -extent + extent * unit(random)};
  }
  return inputs;
}

/// The number of spans that differ between the two passes.
std::size_t differences(SpanPass* fused, SpanPass* apart) {
  const std::vector<SpanInput> inputs = random_inputs();
  std::vector<SpanOutput> one(inputs.size()), other(inputs.size());
  fused(inputs.data(), inputs.size(), one.data());
  apart(inputs.data(), inputs.size(), other.data());
  std::size_t count = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    count += std::memcmp(&one[i], &other[i], sizeof one[i]) != 0;
  }
  return count;
}

TEST(PinnedFloat, HasTheSameBitsInCodeThatFusesProductsAndSums) {
  if (!__builtin_cpu_supports("fma")) GTEST_SKIP() << "the processor has no fused multiply-add";
  EXPECT_EQ(differences(pinned_spans_fused, pinned_spans_apart), 0u);
}

TEST(PinnedFloat, IsNeededSinceFloatsDiffer) {
  if (!__builtin_cpu_supports("fma")) GTEST_SKIP() << "the processor has no fused multiply-add";
  EXPECT_GT(differences(float_spans_fused, float_spans_apart), 100u);
}

}  // namespace
}  // namespace mote
