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
#include "fields/optimizer_tables.h"
#include "support/usable_isas.h"

namespace mote {
namespace {

constexpr std::size_t kBlocks = 40, kMatrixBlocks = 6, kCount = kBlocks * kFieldBlock;

/// The bits of the nearest half, of even bits between two.
std::uint16_t plain_half(float value) {
  const float size = std::abs(value);
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  if (size >= 65520) return static_cast<std::uint16_t>(sign | 0x7c00);
  const int exponent = size > 0 ? std::max(std::ilogb(size), -14) : -14;
  const double units = std::nearbyint(std::ldexp(static_cast<double>(size), 10 - exponent));
  const int bits = (exponent + 14) * 1024 + static_cast<int>(units);
  return static_cast<std::uint16_t>(sign | bits);
}

FieldOptimizer optimizer_with(double beta2) {
  FieldOptimizer optimizer;
  optimizer.learning_rate = 1e-2;
  optimizer.beta1 = 0.9;
  optimizer.beta2 = beta2;
  optimizer.epsilon = 1e-15;
  optimizer.l2_regularization = 1e-2;
  optimizer.ema_decay = 0.95;
  return optimizer;
}

/// The state of the kernels, and the same in double.
struct Problem {
  explicit Problem(double beta2 = 0.99, std::uint32_t seed = 1)
      : optimizer(optimizer_with(beta2)),
        corrections(adam_corrections(0.9, beta2)),
        shares(average_shares(0.95)),
        random(seed) {
    for (Buffer<float>* buffer : {&values, &gradients, &first, &second, &average}) {
      buffer->resize_discard(kCount);
      std::fill_n(buffer->data(), kCount, 0.0f);
    }
    updates.resize_discard(kCount);
    halves.resize_discard(kCount);
    std::fill_n(updates.data(), kCount, std::uint16_t{0});
    for (std::size_t i = 0; i < kCount; ++i) {
      average[i] = values[i] = static_cast<float>(uniform());
      halves[i] = plain_half(values[i]);
      plain.push_back({static_cast<double>(values[i]), 0, 0, 0, 0});
    }
  }

  double uniform() { return 2 * static_cast<double>(random()) / 4294967295.0 - 1; }

  /// A tenth of the blocks that are not matrices get gradients, in half of their parameters.
  void set_gradients() {
    for (std::size_t block = 0; block < kBlocks; ++block) {
      if (block >= kMatrixBlocks && random() % 10 != 0) continue;
      for (std::size_t i = block * kFieldBlock; i < (block + 1) * kFieldBlock; ++i) {
        if (random() % 2 == 0) continue;
        gradients[i] = static_cast<float>(uniform() * std::pow(10.0, 4 * uniform() - 4));
      }
    }
  }

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

  /// A step in double, before that of the kernels.
  void step_plain() {
    const auto t = static_cast<double>(step);
    for (std::size_t i = 0; i < kCount; ++i) {
      Plain& p = plain[i];
      auto g = static_cast<double>(gradients[i]);
      const bool matrix = i < kMatrixBlocks * kFieldBlock;
      if (std::isfinite(g) && (matrix || g != 0)) {
        if (matrix) g += optimizer.l2_regularization * p.value;
        p.updates += 1;
        p.first = 0.9 * p.first + 0.1 * g;
        p.second = optimizer.beta2 * p.second + (1 - optimizer.beta2) * g * g;
        const double rate = 1e-2 * std::sqrt(1 - std::pow(optimizer.beta2, p.updates)) /
                            (1 - std::pow(0.9, p.updates));
        p.value -= rate / (std::sqrt(p.second) + 1e-15) * p.first;
      }
      p.average = (p.average * 0.95 * (1 - std::pow(0.95, t - 1)) + p.value * 0.05) /
                  (1 - std::pow(0.95, t));
    }
  }

  void expect_plain(const CpuKernels& kernels) {
    Buffer<float> read(kCount);
    Buffer<std::uint16_t> read_halves(kCount);
    kernels.read_average(params(), 0, 11, read.data(), read_halves.data());
    kernels.read_average(params(), 11, kBlocks, read.data() + 11 * kFieldBlock,
                         read_halves.data() + 11 * kFieldBlock);
    for (std::size_t i = 0; i < kCount; ++i) {
      const Plain& p = plain[i];
      ASSERT_EQ(updates[i], std::min(p.updates, static_cast<double>(corrections.size() - 1))) << i;
      ASSERT_NEAR(values[i], p.value, 3e-5) << i << " in step " << step;
      ASSERT_NEAR(first[i], p.first, 1e-5 * (std::abs(p.first) + 1e-3)) << i;
      ASSERT_NEAR(second[i], p.second, 1e-5 * (p.second + 1e-6)) << i;
      ASSERT_NEAR(read[i], p.average, 3e-5) << i << " in step " << step;
      ASSERT_EQ(halves[i], plain_half(values[i])) << values[i];
      ASSERT_EQ(read_halves[i], plain_half(read[i])) << read[i];
      ASSERT_EQ(gradients[i], 0);
    }
  }

  struct Plain {
    double value, first, second, updates, average;
  };

  FieldOptimizer optimizer;
  std::vector<float> corrections, shares;
  std::mt19937 random;
  Buffer<float> values, gradients, first, second, average;
  Buffer<std::uint16_t> updates, halves;
  std::vector<std::uint32_t> average_step = std::vector<std::uint32_t>(kBlocks, 0u);
  std::vector<Plain> plain;
  std::uint32_t step = 1;
};

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
