// The optimiser's kernels of each instruction set against plain loops in double, in which all
// parameters are visited in every step. Each step of the loops starts from the stored state, so
// that only the rounding of one step separates them.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/buffer.h"
#include "cpu/kernels.h"
#include "fields/optimizer_storage.h"
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

/// The float of a stored first moment, and that of a half.
double upper_half(std::uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
}

/// The state of the kernels, and the same in double.
struct Problem {
  explicit Problem(double beta2 = 0.99, std::uint32_t seed = 1)
      : optimizer(optimizer_with(beta2)),
        corrections(stored_corrections(adam_corrections(0.9, beta2))),
        shares(average_shares(0.95)),
        random(seed) {
    for (Buffer<float>* buffer : {&values, &gradients}) buffer->resize_discard(kCount);
    for (Buffer<std::uint16_t>* buffer : {&first, &average, &halves}) {
      buffer->resize_discard(kCount);
      std::fill_n(buffer->data(), kCount, std::uint16_t{0});
    }
    second.resize_discard(kCount);
    std::fill_n(gradients.data(), kCount, 0.0f);
    std::fill_n(second.data(), kCount, 0u);
    for (std::size_t i = 0; i < kCount; ++i) {
      values[i] = static_cast<float>(uniform());
      halves[i] = plain_half(values[i]);
      plain.push_back({0, 0, 0, 0, static_cast<double>(values[i])});
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
    return {.values = values.data(),
            .gradients = gradients.data(),
            .first_gradient = 0,
            .first = first.data(),
            .second = second.data(),
            .average = average.data(),
            .halves = halves.data(),
            .average_step = average_step.data(),
            .matrix_blocks = kMatrixBlocks,
            .adam = field_adam_at(optimizer, step),
            .corrections = corrections.values.data(),
            .most_updates = most_updates(corrections, step),
            .shares = {shares.data(), static_cast<std::uint32_t>(shares.size() - 1)},
            .step = step};
  }

  /// A step in double, before that of the kernels.
  void step_plain() {
    const auto t = static_cast<double>(step);
    for (std::size_t i = 0; i < kCount; ++i) {
      Plain& p = plain[i];
      p.value = static_cast<double>(values[i]);
      p.first = upper_half(first[i]);
      p.second = static_cast<double>(std::bit_cast<float>(second[i] & ~kUpdateMask));
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

  /// The numbers of updates are exact below kExactUpdates.
  void expect_plain(const CpuKernels& kernels) {
    Buffer<float> read(kCount);
    Buffer<std::uint16_t> read_halves(kCount);
    kernels.read_average(params(), 0, 11, read.data(), read_halves.data());
    kernels.read_average(params(), 11, kBlocks, read.data() + 11 * kFieldBlock,
                         read_halves.data() + 11 * kFieldBlock);
    const auto last = static_cast<double>(corrections.values.size() - 1);
    for (std::size_t i = 0; i < kCount; ++i) {
      const Plain& p = plain[i];
      const float moment = std::bit_cast<float>(second[i] & ~kUpdateMask);
      ASSERT_EQ(second[i] & kUpdateMask, std::min(p.updates, last)) << i;
      ASSERT_NEAR(values[i], p.value, 1e-6) << i << " in step " << step;
      ASSERT_NEAR(upper_half(first[i]), p.first, 0.00391 * std::abs(p.first) + 1e-12) << i;
      ASSERT_NEAR(moment, p.second, 0.000246 * p.second + 1e-20) << i;
      // The distance is below 0.3, and its roundings add up over 20 steps.
      ASSERT_NEAR(read[i], p.average, 1e-3) << i << " in step " << step;
      ASSERT_EQ(halves[i], plain_half(values[i])) << values[i];
      ASSERT_EQ(read_halves[i], plain_half(read[i])) << read[i];
      ASSERT_EQ(gradients[i], 0);
    }
  }

  struct Plain {
    double value, first, second, updates, average;
  };

  FieldOptimizer optimizer;
  StoredCorrections corrections;
  std::vector<float> shares;
  std::mt19937 random;
  Buffer<float> values, gradients;
  Buffer<std::uint16_t> first, average, halves;
  Buffer<std::uint32_t> second;
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
  ASSERT_LT(p.corrections.values.size(), 400u);
  for (; p.step <= 400; ++p.step) {
    p.set_gradients();
    p.step_plain();
    kernels().update_field(p.params(), 0, kBlocks);
  }
  --p.step;
  p.expect_plain(kernels());
  EXPECT_EQ(p.second[0] & kUpdateMask, p.corrections.values.size() - 1);
}

/// The number of updates that a stored number stands for.
double updates_of(std::uint32_t stored, std::uint32_t interval) {
  if (stored <= kExactUpdates) return stored;
  return kExactUpdates + static_cast<double>(stored - kExactUpdates) * interval;
}

TEST_P(FieldUpdate, CountsManyUpdatesWithinAnInterval) {
  Problem p(0.9995);
  const std::uint32_t interval = p.corrections.interval;
  ASSERT_GT(interval, 8u);
  ASSERT_LE(p.corrections.values.size(), kUpdateMask + 1);
  for (; p.step <= 5000; ++p.step) {
    kernels().update_field(p.params(), 0, 1);
    const std::uint32_t stored = p.second[0] & kUpdateMask;
    if (p.step <= kExactUpdates) {
      ASSERT_EQ(stored, p.step);
    } else {
      ASSERT_NEAR(updates_of(stored, interval), p.step, interval);
    }
  }
}

TEST(StoredCorrections, AreThoseOfTheNumbersOfUpdates) {
  for (const double beta2 : {0.5, 0.99, 0.995, 0.999, 0.9995, 0.9999}) {
    const std::vector<float> all = adam_corrections(0.9, beta2);
    const StoredCorrections stored = stored_corrections(all);
    ASSERT_LE(stored.values.size(), kUpdateMask + 1) << beta2;
    EXPECT_EQ(stored.interval == 1, all.size() <= kUpdateMask + 1) << beta2;
    for (std::uint32_t n = 0; n + 1 < stored.values.size(); ++n) {
      const auto updates = static_cast<std::size_t>(updates_of(n, stored.interval));
      ASSERT_EQ(stored.values[n], all[updates]) << beta2 << ", " << n;
    }
    EXPECT_EQ(stored.values.back(), all.back()) << beta2;
  }
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
  EXPECT_EQ(p.second[kMatrixBlocks * kFieldBlock + 3], 0u);
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
  Buffer<float> aligned(values.size());
  Buffer<std::uint16_t> halves(values.size());
  std::copy(values.begin(), values.end(), aligned.data());
  FieldUpdateParams params{};
  params.values = aligned.data();
  kernels().read_average(params, 0, values.size() / kFieldBlock, nullptr, halves.data());
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(halves[i], plain_half(values[i])) << values[i];
  }
}

}  // namespace
}  // namespace mote
