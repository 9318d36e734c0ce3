// The losses of fitted fields on the device against the lane templates in double.
#include "cuda/kernels/fields/fit_loss.h"

#include <cmath>
#include <limits>

#include "field_kernels_fixture.h"

namespace mote::cuda {
namespace {

using FitLosses = OnTheHostRun;

constexpr float kNoLimit = std::numeric_limits<float>::max();

/// Values and targets of some samples.
struct FitProblem {
  FitProblem(FieldLoss l, unsigned samples, int o)
      : loss(l), count(samples), outputs(o), stride((samples + 15) / 16 * 16) {
    std::mt19937 random(7);
    const std::size_t size = stride * static_cast<std::size_t>(o);
    const float low = is_loss_of_densities(l) ? 0.02f : -1.0f;
    values = random_floats(random, size, low, 1);
    targets = random_floats(random, size, low, 1);
    scale = 1 / static_cast<float>(count * static_cast<unsigned>(outputs));
  }

  FieldLoss loss;
  unsigned count;
  int outputs;
  std::size_t stride;
  float scale, most = kNoLimit;
  std::vector<float> values, targets;
};

struct Graded {
  std::vector<float> d_values;
  std::vector<double> sums;
};

Graded graded(const FitProblem& p) {
  const auto values = on_device(p.values), targets = on_device(p.targets);
  auto d_values = on_device(std::vector<float>(p.values.size(), 7));
  auto parts = zeros_on_device<float>(fit_loss_parts(p.count) * kFitSums);
  auto sums = zeros_on_device<double>(kFitSums);
  run_fit_loss({.loss = p.loss,
                .values = values.data(),
                .targets = targets.data(),
                .d_values = d_values.data(),
                .count = p.count,
                .stride = p.stride,
                .outputs = p.outputs,
                .scale = p.scale,
                .most = p.most,
                .parts = parts.data(),
                .sums = sums.data()},
               nullptr);
  return {from_device(d_values), from_device(sums)};
}

template <FieldLoss LOSS>
void expect_double_losses(const FitProblem& p) {
  const Graded own = graded(p);
  double sums[kFitSums] = {}, sizes = 0;
  for (std::size_t i = 0; i < p.stride; ++i) {
    const auto at = [&](int output) { return static_cast<std::size_t>(output) * p.stride + i; };
    const double luminance = color_luminance<double>(
        p.outputs, [&](int channel) { return static_cast<double>(p.values[at(channel)]); });
    for (int output = 0; output < p.outputs; ++output) {
      if (i >= p.count) {
        ASSERT_EQ(own.d_values[at(output)], 7) << "no sample";
        continue;
      }
      const auto value = static_cast<double>(p.values[at(output)]);
      const auto target = static_cast<double>(p.targets[at(output)]);
      const auto expected = field_loss<LOSS>(value, target, luminance);
      sums[kLossSum] += expected.value;
      sizes += std::abs(expected.value);
      sums[kFitAbsoluteSum] += std::abs(value - target);
      sums[kFitSquaredSum] += (value - target) * (value - target);
      const double slope = expected.slope * static_cast<double>(p.scale);
      ASSERT_NEAR(own.d_values[at(output)], slope, 2e-6 * std::abs(slope) + 1e-12) << i;
    }
  }
  EXPECT_NEAR(own.sums[kLossSum], sums[kLossSum], 1e-6 * sizes);
  for (const FitSum sum : {kFitAbsoluteSum, kFitSquaredSum}) {
    EXPECT_NEAR(own.sums[sum], sums[sum], 1e-6 * sums[sum]);
  }
}

TEST_F(FitLosses, AreThoseOfDoublesForEachLossAndNumberOfOutputs) {
  for (std::size_t i = 0; i < kFieldLossNames.size(); ++i) {
    for (const int outputs : {1, 3, 4}) {
      SCOPED_TRACE(testing::Message() << kFieldLossNames[i] << ", " << outputs << " outputs");
      visit_loss(static_cast<FieldLoss>(i), [&]<FieldLoss LOSS>() {
        expect_double_losses<LOSS>(FitProblem(LOSS, 300, outputs));
      });
    }
  }
}

TEST_F(FitLosses, OfMoreSamplesThanThreadsAddUpAllOfThem) {
  const FitProblem p(FieldLoss::l2, 256 * 256 + 5, 1);
  ASSERT_EQ(fit_loss_parts(p.count), 256u);
  cuda_host::machine().check_accesses = false;  // the other tests check the same kernel
  expect_double_losses<FieldLoss::l2>(p);
}

TEST_F(FitLosses, HaveTheSameSumsInAnyOrderBitForBit) {
  const FitProblem p(FieldLoss::log_l1, 1000, 3);
  const Graded first = graded(p);
  for (const std::uint64_t seed : {1u, 2u}) {
    cuda_host::machine().schedule_seed = seed;
    cuda_host::machine().multiprocessors = 7;
    cuda_host::machine().blocks_in_flight = 3;
    const Graded other = graded(p);
    EXPECT_EQ(other.sums, first.sums);
    EXPECT_EQ(other.d_values, first.d_values);
  }
}

TEST_F(FitLosses, ClampGradientsThatHalvesDoNotHold) {
  FitProblem p(FieldLoss::variance, 40, 1);
  p.values[3] = -1;  // below the least density
  p.most = 2;
  const Graded own = graded(p);
  EXPECT_EQ(own.d_values[3], -2);
  for (std::size_t i = 0; i < p.count; ++i) EXPECT_LE(std::abs(own.d_values[i]), 2) << i;
}

TEST_F(FitLosses, DoNotHideValuesThatAreNotFinite) {
  FitProblem p(FieldLoss::l2, 40, 1);
  p.values[9] = NAN;
  p.most = 2;
  const Graded own = graded(p);
  EXPECT_TRUE(std::isnan(own.d_values[9]));
  EXPECT_TRUE(std::isnan(own.sums[kLossSum]));
}

}  // namespace
}  // namespace mote::cuda
