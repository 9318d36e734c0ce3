// The optimiser's kernels against plain loops in double, in which all parameters are visited in
// every step.
#include <cmath>
#include <cstring>
#include <limits>

#include "cuda/kernels/fields/field_update.h"
#include "field_kernels_fixture.h"
#include "support/plain_optimizer.h"

namespace mote::cuda {
namespace {

constexpr std::size_t kUpdatedValues = OptimizerProblem::kCount;
constexpr std::size_t kMatrices = OptimizerProblem::kMatrixBlocks * kFieldBlock;
constexpr std::size_t kTable = kUpdatedValues - kMatrices;
constexpr unsigned kUpdateSamples = 1000;
constexpr float kUpdateLossScale = 1024;

template <class T>
std::vector<T> copy_of(const Buffer<T>& buffer) {
  return {buffer.data(), buffer.data() + buffer.size()};
}

template <class T>
void copy_back(const DeviceBuffer<T>& from, Buffer<T>& to) {
  const std::vector<T> values = from_device(from);
  std::copy(values.begin(), values.end(), to.data());
}

/// The problem with its state on the device.
struct UpdateProblem : OptimizerProblem {
  explicit UpdateProblem(GradientSums sums_kind = GradientSums::fixed_point, double beta2 = 0.99,
                         bool has_average = true)
      : OptimizerProblem(beta2), kind(sums_kind), averages(has_average) {}

  /// Rounds the table's gradients to those that the sums hold, which are returned.
  std::vector<std::byte> sums() {
    std::vector<std::byte> bytes(kTable * sum_bytes(kind));
    for (std::size_t i = 0; i < kTable; ++i) {
      float& gradient = gradients[kMatrices + i];
      if (kind == GradientSums::fixed_point) {
        const std::int64_t sum =
            std::llrint(static_cast<double>(gradient) / static_cast<double>(factor()));
        std::memcpy(bytes.data() + i * sizeof sum, &sum, sizeof sum);
        gradient = static_cast<float>(sum) * factor();
      } else {
        const float sum = gradient / factor();
        std::memcpy(bytes.data() + i * sizeof sum, &sum, sizeof sum);
      }
    }
    return bytes;
  }
  float factor() const { return gradient_of_sum(kind, kUpdateSamples, kUpdateLossScale); }

  FieldState state() {
    return {.values = on.values.data(),
            .first = on.first.data(),
            .second = on.second.data(),
            .updates = on.updates.data(),
            .average = averages ? on.average.data() : nullptr,
            .average_step = on.average_step.data()};
  }
  FieldTable share_table() {
    return {on.shares.data(), static_cast<std::uint32_t>(shares.size() - 1)};
  }

  /// A step on the device. Returns the number of gradients that were not finite.
  unsigned step_on_device(const std::vector<std::byte>& table_sums) {
    const auto network_gradients =
        on_device(std::vector<float>(gradients.data(), gradients.data() + kMatrices));
    auto of_table = on_device(table_sums);
    auto non_finite = zeros_on_device<unsigned>(1);
    const auto now =
        on_device(std::vector<FieldStepNow>{{field_adam_at(optimizer, step).rate, step}});
    FieldAdam constants = field_adam_at(optimizer, step);
    constants.rate = std::numeric_limits<float>::quiet_NaN();  // the step's counts
    const FieldUpdateArgs args{
        .state = state(),
        .adam = constants,
        .corrections = {on.corrections.data(), static_cast<std::uint32_t>(corrections.size() - 1)},
        .shares = share_table(),
        .now = now.data(),
        .non_finite = non_finite.data()};
    run_matrix_update(args, network_gradients.data(), kMatrices, nullptr);
    run_table_update(args,
                     {.first = kMatrices,
                      .count = kTable,
                      .sums = of_table.data(),
                      .factor = factor(),
                      .halves = on.halves.data()},
                     kind, nullptr);
    for (const std::byte byte : from_device(of_table)) {
      EXPECT_EQ(byte, std::byte{0}) << "ready for the next step";
    }
    std::fill_n(gradients.data(), kUpdatedValues, 0.0f);
    return from_device(non_finite)[0];
  }

  /// Copies the state to the host, where tests look at it.
  void read_back() {
    copy_back(on.values, values);
    copy_back(on.first, first);
    copy_back(on.second, second);
    copy_back(on.average, average);
    copy_back(on.updates, updates);
    average_step = from_device(on.average_step);
    // Matrices are not read as halves.
    for (std::size_t i = 0; i < kMatrices; ++i) halves[i] = plain_half(values[i]);
    const std::vector<std::uint16_t> table = from_device(on.halves);
    std::copy(table.begin(), table.end(), halves.data() + kMatrices);
  }

  void expect_plain() {
    read_back();
    auto read = zeros_on_device<float>(kUpdatedValues);
    auto read_halves = zeros_on_device<std::uint16_t>(kUpdatedValues);
    for (const std::size_t first_place : {std::size_t{0}, kMatrices}) {
      const std::size_t count = first_place == 0 ? kMatrices : kTable;
      run_field_averages({.state = state(),
                          .shares = share_table(),
                          .step = step,
                          .first = first_place,
                          .count = count,
                          .values = read.data() + first_place,
                          .halves = read_halves.data() + first_place},
                         nullptr);
    }
    OptimizerProblem::expect_plain(from_device(read), from_device(read_halves));
  }

  GradientSums kind;
  bool averages;
  struct OnDevice {
    explicit OnDevice(const OptimizerProblem& p)
        : values(on_device(copy_of(p.values))),
          first(on_device(copy_of(p.first))),
          second(on_device(copy_of(p.second))),
          average(on_device(copy_of(p.average))),
          updates(on_device(copy_of(p.updates))),
          halves(on_device(std::vector<std::uint16_t>(p.halves.data() + kMatrices,
                                                      p.halves.data() + kUpdatedValues))),
          average_step(on_device(p.average_step)),
          corrections(on_device(p.corrections)),
          shares(on_device(p.shares)) {}

    DeviceBuffer<float> values, first, second, average;
    DeviceBuffer<std::uint16_t> updates, halves;
    DeviceBuffer<std::uint32_t> average_step;
    DeviceBuffer<float> corrections, shares;
  } on{*this};
};

using FieldOptimizerKernels = OnTheHostRun;

TEST_F(FieldOptimizerKernels, HaveTheValuesOfPlainLoopsThatVisitAllParameters) {
  for (const GradientSums kind : {GradientSums::fixed_point, GradientSums::floats}) {
    UpdateProblem p(kind);
    for (; p.step <= 120; ++p.step) {
      p.set_gradients();
      const auto sums = p.sums();
      p.step_plain();
      EXPECT_EQ(p.step_on_device(sums), 0u);
      if (p.step % 25 == 1) p.expect_plain();
    }
  }
}

TEST_F(FieldOptimizerKernels, CountUpdatesUpToTheEndOfTheTable) {
  UpdateProblem p(GradientSums::fixed_point, 0.5);
  for (; p.step <= 200; ++p.step) {
    p.set_gradients();
    const auto sums = p.sums();
    p.step_plain();
    p.step_on_device(sums);
  }
  --p.step;
  p.expect_plain();
  ASSERT_LT(p.corrections.size(), 200u);
  EXPECT_EQ(p.updates[0], p.corrections.size() - 1);
}

TEST_F(FieldOptimizerKernels, LeaveBlocksWithoutGradientsAlone) {
  UpdateProblem p;
  p.gradients[kMatrices + 3] = 0.25f;
  const auto sums = p.sums();
  p.step_on_device(sums);
  p.read_back();
  EXPECT_EQ(p.average_step[kMatrices / kFieldBlock], 1u);
  for (std::size_t block = kMatrices / kFieldBlock + 1; block < p.kBlocks; ++block) {
    EXPECT_EQ(p.average_step[block], 0u);
  }
  EXPECT_EQ(p.updates[kMatrices + 3], 1);
  EXPECT_EQ(p.updates[kMatrices + 4], 0) << "in the same block, without a gradient";
}

TEST_F(FieldOptimizerKernels, LeaveParametersAloneWhoseGradientIsNotFiniteAndCountThem) {
  UpdateProblem p(GradientSums::floats);
  for (; p.step <= 12; ++p.step) {
    p.set_gradients();
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    p.gradients[2] = std::numeric_limits<float>::quiet_NaN();
    p.gradients[77] = -kInfinity;
    p.gradients[200] = kInfinity;
    const auto sums = p.sums();
    p.step_plain();
    EXPECT_EQ(p.step_on_device(sums), 3u);
    p.expect_plain();
  }
}

TEST_F(FieldOptimizerKernels, AreTheSameWithoutAnAverage) {
  UpdateProblem with, without(GradientSums::fixed_point, 0.99, false);
  for (; with.step <= 10; ++with.step, ++without.step) {
    with.set_gradients();
    without.set_gradients();
    with.step_on_device(with.sums());
    without.step_on_device(without.sums());
  }
  EXPECT_EQ(from_device(with.on.values), from_device(without.on.values));
  EXPECT_EQ(from_device(without.on.average_step),
            std::vector<std::uint32_t>(UpdateProblem::kBlocks));
}

}  // namespace
}  // namespace mote::cuda
