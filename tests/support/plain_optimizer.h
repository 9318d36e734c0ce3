#pragma once

// Steps of a field's optimiser in double, in which all parameters are visited in every step, for
// tests of kernels.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <vector>

#include "core/buffer.h"
#include "fields/optimizer_tables.h"

namespace mote {

/// The bits of the nearest half, of even bits between two.
inline std::uint16_t plain_half(float value) {
  const float size = std::abs(value);
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  if (size >= 65520) return static_cast<std::uint16_t>(sign | 0x7c00);
  const int exponent = size > 0 ? std::max(std::ilogb(size), -14) : -14;
  const double units = std::nearbyint(std::ldexp(static_cast<double>(size), 10 - exponent));
  const int bits = (exponent + 14) * 1024 + static_cast<int>(units);
  return static_cast<std::uint16_t>(sign | bits);
}

inline FieldOptimizer optimizer_with(double beta2) {
  FieldOptimizer optimizer;
  optimizer.learning_rate = 1e-2;
  optimizer.beta1 = 0.9;
  optimizer.beta2 = beta2;
  optimizer.epsilon = 1e-15;
  optimizer.l2_regularization = 1e-2;
  optimizer.ema_decay = 0.95;
  return optimizer;
}

/// The state of a kernel, and the same in double.
struct OptimizerProblem {
  static constexpr std::size_t kBlocks = 40, kMatrixBlocks = 6, kCount = kBlocks * kFieldBlock;

  explicit OptimizerProblem(double beta2 = 0.99, std::uint32_t seed = 1)
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

  /// The state after a step, with the averages that were read of it.
  void expect_plain(std::span<const float> read, std::span<const std::uint16_t> read_halves) const {
    for (std::size_t i = 0; i < kCount; ++i) {
      const Plain& p = plain[i];
      ASSERT_EQ(updates[i], std::min(p.updates, static_cast<double>(corrections.size() - 1))) << i;
      ASSERT_NEAR(values[i], p.value, 3e-5) << i << " in step " << step;
      ASSERT_NEAR(first[i], p.first, 1e-5 * (std::abs(p.first) + 1e-3)) << i;
      ASSERT_NEAR(second[i], p.second, 1e-5 * (p.second + 1e-6)) << i;
      ASSERT_NEAR(read[i], p.average, 3e-5) << i << " in step " << step;
      ASSERT_EQ(halves[i], plain_half(values[i])) << values[i];
      ASSERT_EQ(read_halves[i], plain_half(read[i])) << read[i];
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

}  // namespace mote
