// The optimiser of a field's parameters on the CPU: the parts in which it updates tables, and the
// same result for any number of threads. field_update_test.cpp compares its kernel with doubles.
#include "cpu/parameter_optimizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/memory_bytes.h"
#include "cpu/plain_field.h"
#include "fields/optimizer_state.h"
#include "support/grid_field.h"
#include "support/usable_isas.h"

namespace mote {
namespace {

constexpr double kRate = 1e-2;

EncodingConfig grids_of(std::initializer_list<int> features) {
  EncodingConfig encoding;
  for (const int count : features) {
    encoding.parts.push_back({GridEncoding{{.dimensions = 2,
                                            .levels = 3,
                                            .features = count,
                                            .log2_table_size = 6,
                                            .base_resolution = 3,
                                            .per_level_scale = 1.7}},
                              0, 2});
  }
  return encoding;
}

void expect_parts_of(const EncodingConfig& encoding) {
  const EncodingShape shape(encoding, 64);
  std::size_t count = 0;
  for (const EncodingShape::Grid& grid : shape.grids) count += grid_parameters(grid.config);
  std::vector<int> covered(count);
  std::size_t levels = 0;
  for (const TablePart& part : shape.parts) {
    EXPECT_EQ(part.first_parameter % kFieldBlock, 0u);
    EXPECT_EQ(part.parameters % kFieldBlock, 0u);
    for (const TablePart::Level& level : part.levels) {
      const EncodingShape::Grid& grid = shape.grids[level.grid];
      const GridLevel& own = grid.levels[static_cast<std::size_t>(level.level)];
      const auto features = static_cast<std::size_t>(grid.config.features);
      const std::size_t first = part.first_parameter + level.first_parameter;
      EXPECT_EQ(first, grid.first_parameter + own.first * features);
      EXPECT_LE(level.first_parameter + own.entries * features, part.parameters);
      for (std::size_t i = 0; i < own.entries * features; ++i) ++covered[first + i];
      ++levels;
    }
  }
  EXPECT_EQ(levels, 3 * shape.grids.size());
  EXPECT_EQ(covered, std::vector<int>(covered.size(), 1));
}

TEST(TableParts, HaveEachLevelOnceInWholeBlocks) {
  for (const int features : {1, 2, 4, 8}) expect_parts_of(grids_of({features}));
  expect_parts_of(grids_of({1, 2}));
  expect_parts_of(grids_of({2, 1, 1, 4}));
}

/// A field's optimiser that takes given gradients.
struct Optimization {
  NeuralField field;
  PlainShape shape;
  ThreadPool pool;
  ParameterOptimizer optimizer;

  Optimization(const EncodingConfig& encoding, int threads, double beta2 = 0.999)
      : field(make_field(encoding, beta2)),
        shape(field),
        pool(threads),
        optimizer(field, shape.layout.encoding_first, *usable_isas().back()->kernels, pool) {}

  static NeuralField make_field(const EncodingConfig& encoding, double beta2) {
    FieldConfig config = tiny_field_config(FieldApplication::image);
    config.encoding = encoding;
    config.optimizer->ema_decay.reset();
    config.optimizer->beta2 = beta2;
    return tiny_field(FieldApplication::image, config, 7);
  }

  std::uint64_t step(const std::vector<float>& gradients) {
    const std::size_t first = shape.layout.encoding_first;
    std::copy_n(gradients.data(), first, optimizer.network_gradients());
    const auto add = [&](const TablePart& part, float* d_part) {
      const std::size_t begin = first + part.first_parameter;
      const std::size_t end = std::min(begin + part.parameters, gradients.size());
      for (std::size_t i = begin; i < end; ++i) d_part[i - begin] += gradients[i];
    };
    return optimizer.step(kRate, {shape.encoding.parts, add});
  }
};

std::vector<float> random_gradients(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> gradients(count);
  for (float& gradient : gradients) {
    if (random() % 3 == 0) gradient = static_cast<float>(random() % 2001) * 1e-3f - 1;
  }
  return gradients;
}

/// One level has fewer parts than threads, of which all update it together.
std::vector<EncodingConfig> some_encodings() {
  EncodingConfig one_level = grids_of({2});
  std::get<GridEncoding>(one_level.parts[0].kind).grid.levels = 1;
  return {grids_of({2}), grids_of({1, 4}), one_level};
}

TEST(ParameterOptimizer, TheFirstStepMovesEachParameterByTheRate) {
  for (const EncodingConfig& encoding : some_encodings()) {
    Optimization own(encoding, 3);
    const std::size_t first = own.shape.layout.encoding_first;
    const std::vector<float> gradients = random_gradients(own.field.parameters.size(), 1);
    EXPECT_EQ(own.step(gradients), 0u);
    const std::vector<float> after = own.optimizer.averaged();
    for (std::size_t i = first; i < after.size(); ++i) {
      const float g = gradients[i];
      const double moved = g == 0 ? 0 : g > 0 ? -kRate : kRate;
      ASSERT_NEAR(static_cast<double>(after[i]) - static_cast<double>(own.field.parameters[i]),
                  moved, 1e-5)
          << i;
    }
  }
}

TEST(ParameterOptimizer, GradientsAreZeroBeforeEachStep) {
  for (const EncodingConfig& encoding : some_encodings()) {
    Optimization own(encoding, 2);
    const std::size_t count = own.field.parameters.size();
    const std::size_t first = own.shape.layout.encoding_first;
    own.step(random_gradients(count, 1));
    const std::vector<float> before = own.optimizer.averaged();
    own.step(std::vector<float>(count));
    const std::vector<float> after = own.optimizer.averaged();
    EXPECT_TRUE(std::equal(before.begin() + static_cast<std::ptrdiff_t>(first), before.end(),
                           after.begin() + static_cast<std::ptrdiff_t>(first)));
  }
}

TEST(ParameterOptimizer, CountsBrokenGradientsAndIsTheSameForAnyNumberOfThreads) {
  for (const EncodingConfig& encoding : some_encodings()) {
    std::vector<std::vector<float>> results;
    for (const int threads : {1, 2, 5}) {
      Optimization own(encoding, threads);
      const std::size_t count = own.field.parameters.size();
      std::vector<float> broken = random_gradients(count, 2);
      broken[own.shape.layout.encoding_first + 5] = NAN;
      broken[count - 1] = INFINITY;
      own.step(random_gradients(count, 1));
      EXPECT_EQ(own.step(broken), 2u);
      EXPECT_EQ(own.step(random_gradients(count, 3)), 0u);
      results.push_back(own.optimizer.averaged());
    }
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], results[2]);
  }
}

/// For a beta2 near 1, numbers of updates are stored in intervals, which do not end at each step.
TEST(ParameterOptimizer, NoParameterHasMoreUpdatesThanThereWereSteps) {
  for (const double beta2 : {0.99, 0.999}) {
    Optimization own(grids_of({2}), 1, beta2);
    const std::size_t count = own.field.parameters.size();
    constexpr std::uint32_t kSteps = 10001;
    const OptimizerState start{.step = kSteps,
                               .first = std::vector<float>(count, 1e-3f),
                               .second = std::vector<float>(count, 1e-4f),
                               .updates = std::vector<std::uint32_t>(count, kSteps)};
    MemoryBytes bytes;
    put_optimizer_state(start, own.field.parameters, false, bytes);
    own.optimizer.restore(bytes);
    for (std::uint32_t step = kSteps; step <= kSteps + 4; ++step) {
      if (step > kSteps) own.step(random_gradients(count, step));
      const OptimizerState state = own.optimizer.state();
      ASSERT_EQ(state.step, step);
      for (const std::uint32_t updates : state.updates) {
        ASSERT_LE(updates, step) << "beta2 " << beta2;
        ASSERT_GT(updates, 0u);
      }
    }
  }
}

}  // namespace
}  // namespace mote
