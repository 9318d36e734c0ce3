// The optimiser's kernels of each instruction set against plain loops in double, in which all
// parameters are visited in every step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/buffer.h"
#include "cpu/kernels.h"
#include "support/plain_optimizer.h"
#include "support/usable_isas.h"

namespace mote {
namespace {

struct Problem : OptimizerProblem {
  using OptimizerProblem::OptimizerProblem;

  FieldUpdateParams params() {
    return {values.data(),
            gradients.data(),
            0,
            first.data(),
            second.data(),
            updates.data(),
            halves.data(),
            average.data(),
            average_step.data(),
            kMatrixBlocks,
            field_adam_at(optimizer, step),
            {corrections.data(), static_cast<std::uint32_t>(corrections.size() - 1)},
            {shares.data(), static_cast<std::uint32_t>(shares.size() - 1)},
            step};
  }

  void expect_plain(const CpuKernels& kernels) {
    Buffer<float> read(kCount);
    Buffer<std::uint16_t> read_halves(kCount);
    kernels.read_average(params(), 0, 11, read.data(), read_halves.data());
    kernels.read_average(params(), 11, kBlocks, read.data() + 11 * kFieldBlock,
                         read_halves.data() + 11 * kFieldBlock);
    OptimizerProblem::expect_plain(read.span(), read_halves.span());
    for (const float gradient : gradients.span()) ASSERT_EQ(gradient, 0);
  }
};

constexpr std::size_t kBlocks = Problem::kBlocks, kMatrixBlocks = Problem::kMatrixBlocks,
                      kCount = Problem::kCount;

class FieldUpdate : public testing::TestWithParam<const IsaEntry*> {
 protected:
  static const CpuKernels& kernels() { return *GetParam()->kernels; }
};

INSTANTIATE_TEST_SUITE_P(On, FieldUpdate, testing::ValuesIn(usable_isas()),
                         [](const auto& info) { return std::string(info.param->kernels->name); });

TEST_P(FieldUpdate, HasTheValuesOfPlainLoopsThatVisitAllParameters) {
  Problem p;
  for (; p.step <= 400; ++p.step) {
    p.set_gradients();
    p.step_plain();
    EXPECT_EQ(kernels().update_field(p.params(), 0, kBlocks), 0u);
    if (p.step % 25 == 1) p.expect_plain(kernels());
  }
}

TEST_P(FieldUpdate, CountsUpdatesUpToTheEndOfTheTable) {
  Problem p(0.5);
  ASSERT_LT(p.corrections.size(), 400u);
  for (; p.step <= 400; ++p.step) {
    p.set_gradients();
    p.step_plain();
    kernels().update_field(p.params(), 0, kBlocks);
  }
  --p.step;
  p.expect_plain(kernels());
  EXPECT_EQ(p.updates[0], p.corrections.size() - 1);
}

TEST_P(FieldUpdate, LeavesBlocksWithoutGradientsAlone) {
  Problem p;
  p.gradients[kMatrixBlocks * kFieldBlock + 3] = -0.0f;
  const float value = p.values[kMatrixBlocks * kFieldBlock + 3];
  p.halves[kMatrixBlocks * kFieldBlock + 3] = 7;
  kernels().update_field(p.params(), 0, kBlocks);
  for (std::size_t block = kMatrixBlocks; block < kBlocks; ++block) {
    EXPECT_EQ(p.average_step[block], 0u);
  }
  EXPECT_EQ(p.average_step[kMatrixBlocks - 1], 1u);
  EXPECT_EQ(p.values[kMatrixBlocks * kFieldBlock + 3], value);
  EXPECT_EQ(p.halves[kMatrixBlocks * kFieldBlock + 3], 7);
  EXPECT_EQ(p.updates[kMatrixBlocks * kFieldBlock + 3], 0);
}

TEST_P(FieldUpdate, LeavesParametersAloneWhoseGradientIsNotFiniteAndCountsThem) {
  Problem p;
  for (; p.step <= 20; ++p.step) {
    p.set_gradients();
    std::size_t bad = 0;
    for (const std::size_t i : {std::size_t{2}, std::size_t{77}, std::size_t{200}, kCount - 1}) {
      constexpr float kInfinity = std::numeric_limits<float>::infinity();
      const float kinds[] = {std::numeric_limits<float>::quiet_NaN(), kInfinity, -kInfinity};
      if (p.random() % 2 == 0) continue;
      p.gradients[i] = kinds[p.random() % 3];
      ++bad;
    }
    p.step_plain();
    EXPECT_EQ(kernels().update_field(p.params(), 0, kBlocks), bad);
    p.expect_plain(kernels());
  }
}

TEST_P(FieldUpdate, SplittingTheBlocksChangesNothing) {
  Problem whole, parts;
  for (; whole.step <= 30; ++whole.step, ++parts.step) {
    whole.set_gradients();
    parts.set_gradients();
    kernels().update_field(whole.params(), 0, kBlocks);
    for (std::size_t begin = 0; begin < kBlocks; begin += 4) {
      kernels().update_field(parts.params(), begin, begin + 4);
    }
  }
  for (std::size_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(whole.values[i], parts.values[i]);
    ASSERT_EQ(whole.average[i], parts.average[i]);
    ASSERT_EQ(whole.halves[i], parts.halves[i]);
  }
}

TEST_P(FieldUpdate, RunsWithoutAnAverage) {
  Problem with, without;
  for (; with.step <= 10; ++with.step, ++without.step) {
    with.set_gradients();
    without.set_gradients();
    kernels().update_field(with.params(), 0, kBlocks);
    FieldUpdateParams params = without.params();
    params.average = nullptr;
    params.average_step = nullptr;
    params.shares = {nullptr, 0};
    kernels().update_field(params, 0, kBlocks);
  }
  for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(with.values[i], without.values[i]);
}

TEST_P(FieldUpdate, RoundsHalvesToTheNearestEven) {
  std::vector<float> values{0.0f,   65504, 65519, 65519.9f, 65520,
                            -65520, 1e10f, 6e-8f, 1e-30f,   3e38f};
  for (int bits = 0; bits < 0x7c00; bits += 3) {
    // A half, the middle between it and the next, and values beside the middle.
    const double unit = std::ldexp(1.0, std::max(bits / 1024, 1) - 25);
    const double half = (bits % 1024 + (bits >= 1024 ? 1024 : 0)) * unit;
    const auto middle = static_cast<float>(half + unit / 2);
    for (const float value : {static_cast<float>(half), middle, std::nextafter(middle, 0.0f),
                              std::nextafter(middle, 1e9f)}) {
      values.push_back(value);
      if (value != 0) values.push_back(-value);  // the sum of -0 and the step is 0
    }
  }
  values.resize((values.size() + kFieldBlock - 1) / kFieldBlock * kFieldBlock);
  Buffer<float> average(values.size());
  Buffer<std::uint16_t> halves(values.size());
  std::copy(values.begin(), values.end(), average.data());
  std::vector<std::uint32_t> steps(values.size() / kFieldBlock, 1u);
  const float shares[] = {0, 1};
  FieldUpdateParams params{};
  params.values = params.average = average.data();
  params.average_step = steps.data();
  params.shares = {shares, 1};
  params.step = 1;  // no step is missed, so that the average is read as it is
  kernels().read_average(params, 0, steps.size(), nullptr, halves.data());
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(halves[i], plain_half(values[i])) << values[i];
  }
}

}  // namespace
}  // namespace mote
