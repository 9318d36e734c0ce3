// The optimiser's kernels of each instruction set against plain loops in double, in which all
// parameters are visited in every step. Each step of the loops starts from the stored state, so
// that only the rounding of one step separates them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/buffer.h"
#include "cpu/kernels.h"
#include "fields/optimizer_storage.h"
#include "support/plain_optimizer.h"
#include "support/usable_isas.h"

namespace mote {
namespace {

/// The float of a stored first moment.
double upper_half(std::uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
}
double second_of(std::uint32_t word) {
  return static_cast<double>(std::bit_cast<float>(word & ~kUpdateMask));
}

/// With the state as the kernels store it.
struct Problem : OptimizerProblem {
  explicit Problem(double beta2 = 0.99)
      : OptimizerProblem(beta2), stored(stored_corrections(corrections)) {
    for (Buffer<std::uint16_t>* buffer : {&stored_first, &stored_average}) {
      buffer->resize_discard(kCount);
      std::fill_n(buffer->data(), kCount, std::uint16_t{0});
    }
    stored_second.resize_discard(kCount);
    std::fill_n(stored_second.data(), kCount, 0u);
  }

  FieldUpdateParams params() {
    return {.values = values.data(),
            .gradients = gradients.data(),
            .first_gradient = 0,
            .first = stored_first.data(),
            .second = stored_second.data(),
            .average = stored_average.data(),
            .halves = halves.data(),
            .matrix_blocks = kMatrixBlocks,
            .adam = field_adam_at(optimizer, step),
            .corrections = stored.values.data(),
            .most_updates = most_updates(stored, step),
            .shares = {shares.data(), static_cast<std::uint32_t>(shares.size() - 1)},
            .step = step};
  }

  /// A step in double from the stored state, before that of the kernels.
  void step_plain() {
    for (std::size_t i = 0; i < kCount; ++i) {
      plain[i].value = static_cast<double>(values[i]);
      plain[i].first = upper_half(stored_first[i]);
      plain[i].second = second_of(stored_second[i]);
    }
    OptimizerProblem::step_plain();
  }

  /// For a step without gradients whose values are not compared.
  void count_matrix_updates() {
    for (std::size_t i = 0; i < kMatrixBlocks * kFieldBlock; ++i) plain[i].updates += 1;
  }

  /// Numbers of updates are exact up to kExactUpdates.
  void expect_plain(const CpuKernels& kernels) {
    Buffer<float> read(kCount);
    Buffer<std::uint16_t> read_halves(kCount);
    kernels.read_average(params(), 0, 11, read.data(), read_halves.data());
    kernels.read_average(params(), 11, kBlocks, read.data() + 11 * kFieldBlock,
                         read_halves.data() + 11 * kFieldBlock);
    const auto last = static_cast<double>(stored.values.size() - 1);
    for (std::size_t i = 0; i < kCount; ++i) {
      const Plain& p = plain[i];
      ASSERT_EQ(stored_second[i] & kUpdateMask, std::min(p.updates, last)) << i;
      ASSERT_NEAR(values[i], p.value, 1e-6) << i << " in step " << step;
      ASSERT_NEAR(upper_half(stored_first[i]), p.first, 0.00391 * std::abs(p.first) + 1e-12) << i;
      ASSERT_NEAR(second_of(stored_second[i]), p.second, 0.000246 * p.second + 1e-20) << i;
      // The distance is below 0.5, so that a step rounds it by at most 3.7e-4. The average is that
      // of 20 steps.
      ASSERT_NEAR(read[i], p.average, 2.5e-3) << i << " in step " << step;
      ASSERT_EQ(halves[i], plain_half(values[i])) << values[i];
      ASSERT_EQ(read_halves[i], plain_half(read[i])) << read[i];
      ASSERT_EQ(gradients[i], 0);
    }
  }

  std::uint32_t stored_step(std::size_t block) const {
    return load_average(stored_average.data() + block * kFieldBlock).step;
  }

  StoredCorrections stored;
  Buffer<std::uint16_t> stored_first, stored_average;
  Buffer<std::uint32_t> stored_second;
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
  ASSERT_LT(p.stored.values.size(), 400u);
  for (; p.step <= 400; ++p.step) {
    p.set_gradients();
    p.step_plain();
    kernels().update_field(p.params(), 0, kBlocks);
  }
  --p.step;
  p.expect_plain(kernels());
  EXPECT_EQ(p.stored_second[0] & kUpdateMask, p.stored.values.size() - 1);
}

TEST_P(FieldUpdate, CountsManyUpdatesWithinAnInterval) {
  Problem p(0.9995);
  const std::uint32_t interval = p.stored.interval;
  ASSERT_GT(interval, 8u);
  ASSERT_LE(p.stored.values.size(), kUpdateMask + 1);
  for (; p.step <= 5000; ++p.step) {
    kernels().update_field(p.params(), 0, 1);
    const std::uint32_t stored = p.stored_second[0] & kUpdateMask;
    if (p.step <= kExactUpdates) {
      ASSERT_EQ(stored, p.step);
    } else {
      ASSERT_NEAR(p.stored.updates_of(stored), p.step, interval);
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
      const std::uint32_t updates = stored.updates_of(n);
      ASSERT_EQ(stored.stored_of(updates), n) << beta2;
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
    EXPECT_EQ(p.stored_step(block), 0u);
  }
  EXPECT_EQ(p.stored_step(kMatrixBlocks - 1), 1u);
  EXPECT_EQ(p.values[kMatrixBlocks * kFieldBlock + 3], value);
  EXPECT_EQ(p.halves[kMatrixBlocks * kFieldBlock + 3], 7);
  EXPECT_EQ(p.stored_second[kMatrixBlocks * kFieldBlock + 3], 0u);
}

TEST_P(FieldUpdate, VisitsAllBlocksBeforeTheirStepsCouldBeTakenForLaterOnes) {
  Problem p;
  constexpr std::uint32_t kLast = 3 * kAverageSweep + 20;
  for (; p.step <= kLast; ++p.step) {
    if (p.step < 20) p.set_gradients();
    if (p.step < 20 || p.step > kLast - 300) {
      p.step_plain();  // averages forget the steps before
    } else {
      p.count_matrix_updates();
    }
    kernels().update_field(p.params(), 0, kBlocks);
    const std::uint32_t swept = p.step / kAverageSweep * kAverageSweep % kAverageSteps;
    if (p.step >= kAverageSweep) {
      ASSERT_EQ(p.stored_step(kBlocks - 1), swept);
    }
  }
  --p.step;
  p.expect_plain(kernels());
}

TEST(AverageBlock, KeepsDistancesWithoutTheirLowestBitAndTheStep) {
  std::mt19937 random(3);
  alignas(32) std::array<std::uint16_t, kFieldBlock> stored{};
  for (int trial = 0; trial < 2000; ++trial) {
    AverageBlock block;
    block.step = random() % kAverageSteps;
    for (std::uint16_t& distance : block.distances) {
      const auto size = static_cast<std::uint16_t>(random() % 0x7bff);
      distance = static_cast<std::uint16_t>(size | (random() % 2 << 15));
    }
    store_average(block, stored.data());
    const AverageBlock read = load_average(stored.data());
    ASSERT_EQ(read.step, block.step);
    ASSERT_EQ(average_step(read, 5 * kAverageSteps + block.step + 70),
              5 * kAverageSteps + block.step);
    for (std::size_t i = 0; i < kFieldBlock; ++i) {
      ASSERT_EQ(read.distances[i] % 2, 0);
      const int change = read.distances[i] - block.distances[i];
      ASSERT_LE(std::abs(change), 1);
      if (change != 0) {
        ASSERT_EQ(read.distances[i] % 4, 0);
      }
    }
  }
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
    ASSERT_EQ(whole.stored_average[i], parts.stored_average[i]);
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
