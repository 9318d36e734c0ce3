// Interpolation in grids: against a plain evaluation in double, and its vjps against differences.
#include "fields/encodings/grid.h"

#include <algorithm>
#include <array>

#include "support/gradient_fixture.h"

namespace mote {
namespace {

/// The index rule in its own words.
std::uint32_t plain_index(const GridLevel& level, const std::vector<std::uint32_t>& at) {
  std::uint64_t stride = 1, index = 0;
  for (const std::uint32_t coordinate : at) {
    if (stride > level.entries) break;
    index += coordinate * stride;
    stride *= level.resolution;
  }
  if (level.index == GridIndex::hashed) {
    std::uint32_t hash = 0;
    for (std::size_t axis = 0; axis < at.size(); ++axis)
      hash ^= at[axis] * grid_prime(static_cast<int>(axis));
    index = hash;
  }
  return static_cast<std::uint32_t>(index % level.entries);
}

struct Case {
  GridConfig config;
  int level;
};

const Case kCases[] = {
    {{.kind = GridKind::hash, .levels = 3, .log2_table_size = 14, .base_resolution = 9}, 0},
    {{.kind = GridKind::hash, .levels = 4, .log2_table_size = 9, .base_resolution = 9}, 3},
    {{.kind = GridKind::dense, .levels = 2, .base_resolution = 5, .per_level_scale = 1.5}, 1},
    {{.kind = GridKind::tiled, .levels = 4, .base_resolution = 6}, 2},
};

class Grid : public Gradient {
 protected:
  static constexpr int kFeatures = 2;

  template <int D>
  GridLevel level_of(const Case& tested) {
    GridConfig config = tested.config;
    config.dimensions = D;
    const GridLevel level = grid_levels(config)[static_cast<std::size_t>(tested.level)];
    table_ = random(std::size_t{level.entries} * kFeatures);
    return level;
  }
  auto load() const {
    return [this](std::uint32_t index, int feature) {
      return table_.at(std::size_t{index} * kFeatures + static_cast<std::size_t>(feature));
    };
  }

  template <int D>
  std::array<double, kFeatures> plain_features(const GridLevel& level, Interpolation interpolation,
                                               const double (&x)[D]) const {
    std::array<double, kFeatures> sum{};
    double t[D], corner[D];
    for (int axis = 0; axis < D; ++axis) {
      const double at = static_cast<double>(level.scale) * x[axis] + 0.5;
      corner[axis] = std::floor(at);
      t[axis] = at - corner[axis];
      if (interpolation == Interpolation::smoothstep) t[axis] *= t[axis] * (3 - 2 * t[axis]);
      if (interpolation == Interpolation::nearest) t[axis] = 0;
    }
    for (int c = 0; c < 1 << D; ++c) {
      double weight = 1;
      std::vector<std::uint32_t> at;
      for (int axis = 0; axis < D; ++axis) {
        const int upper = c >> axis & 1;
        weight *= upper == 1 ? t[axis] : 1 - t[axis];
        at.push_back(static_cast<std::uint32_t>(corner[axis]) + static_cast<std::uint32_t>(upper));
      }
      for (int f = 0; f < kFeatures; ++f) {
        sum[static_cast<std::size_t>(f)] += weight * load()(plain_index(level, at), f);
      }
    }
    return sum;
  }

  template <Interpolation INTERPOLATION, int D>
  void expect_plain_values(const Case& tested) {
    const GridLevel level = level_of<D>(tested);
    for (int trial = 0; trial < 50; ++trial) {
      const Values at = random(D, 0, 1);
      double x[D], features[kFeatures];
      std::copy_n(at.begin(), D, x);
      grid_features<INTERPOLATION>(level, x, load(), features);
      const auto expected = plain_features<D>(level, INTERPOLATION, x);
      for (std::size_t f = 0; f < kFeatures; ++f) EXPECT_NEAR(features[f], expected[f], 1e-9);
    }
  }

  template <Interpolation INTERPOLATION, int D>
  void expect_gradients(const Case& tested) {
    const GridLevel level = level_of<D>(tested);
    const Values at = random(D, 0.1, 0.9), weights = random(kFeatures);
    double x[D], d_features[kFeatures], d_x[D] = {};
    std::copy_n(at.begin(), D, x);
    std::copy_n(weights.begin(), kFeatures, d_features);
    const auto features_at = [&](const Values& place) {
      double position[D], features[kFeatures];
      std::copy_n(place.begin(), D, position);
      grid_features<INTERPOLATION>(level, position, load(), features);
      return Values(features, features + kFeatures);
    };
    grid_position_vjp<INTERPOLATION>(level, x, load(), d_features, d_x);
    expect_gradient(features_at, at, weights, Values(d_x, d_x + D));

    Values d_table(table_.size());
    grid_parameters_vjp<INTERPOLATION>(
        level, x, d_features, [&](std::uint32_t index, int feature, double gradient) {
          d_table.at(std::size_t{index} * kFeatures + static_cast<std::size_t>(feature)) +=
              gradient;
        });
    // The features are linear in the table.
    double by_table = 0, by_features = 0;
    for (std::size_t i = 0; i < table_.size(); ++i) by_table += d_table[i] * table_[i];
    const Values features = features_at(at);
    for (std::size_t f = 0; f < kFeatures; ++f) by_features += weights[f] * features[f];
    EXPECT_NEAR(by_table, by_features, 1e-9);
    for (int trial = 0; trial < 20; ++trial) {
      const std::size_t i = engine_() % table_.size();
      table_[i] += 1;
      const Values changed = features_at(at);
      table_[i] -= 1;
      double change = 0;
      for (std::size_t f = 0; f < kFeatures; ++f) change += weights[f] * (changed[f] - features[f]);
      EXPECT_NEAR(d_table[i], change, 1e-9);
    }
  }

  template <Interpolation INTERPOLATION, int D>
  void expect_rates(const Case& tested) {
    const GridLevel level = level_of<D>(tested);
    const Values at = random(D, 0.1, 0.9), along = random(D), d = random(2 * kFeatures);
    double x[D], velocity[D], rates[kFeatures];
    std::copy_n(at.begin(), D, x);
    std::copy_n(along.begin(), D, velocity);
    grid_feature_rates<INTERPOLATION>(level, x, velocity, load(), rates);
    const auto moved = [&](const Values& time) {
      double position[D], features[kFeatures];
      for (std::size_t axis = 0; axis < D; ++axis) position[axis] = x[axis] + time[0] * along[axis];
      grid_features<INTERPOLATION>(level, position, load(), features);
      return Values(features, features + kFeatures);
    };
    for (std::size_t f = 0; f < kFeatures; ++f) {
      Values only(kFeatures);
      only[f] = 1;
      expect_gradient(moved, {0}, only, {rates[f]});
    }
    // Features and rates are linear in the table, with these weights.
    double by_table = 0, by_features = 0;
    for_each_moving_corner<INTERPOLATION>(
        level, x, velocity, [&](int, std::uint32_t index, double weight, double rate) {
          for (int f = 0; f < kFeatures; ++f) {
            const auto own = static_cast<std::size_t>(f);
            by_table += load()(index, f) * (weight * d[own] + rate * d[kFeatures + own]);
          }
        });
    const Values features = moved({0});
    for (std::size_t f = 0; f < kFeatures; ++f) {
      by_features += d[f] * features[f] + d[kFeatures + f] * rates[f];
    }
    EXPECT_NEAR(by_table, by_features, 1e-9);
  }

  Values table_;
};

TEST_F(Grid, HasTheValuesOfAPlainEvaluation) {
  for (const Case& tested : kCases) {
    expect_plain_values<Interpolation::nearest, 3>(tested);
    expect_plain_values<Interpolation::linear, 2>(tested);
    expect_plain_values<Interpolation::linear, 3>(tested);
    expect_plain_values<Interpolation::linear, 4>(tested);
    expect_plain_values<Interpolation::smoothstep, 3>(tested);
  }
}

TEST_F(Grid, HasTheGradientsOfDifferences) {
  for (const Case& tested : kCases) {
    expect_gradients<Interpolation::nearest, 3>(tested);
    expect_gradients<Interpolation::linear, 2>(tested);
    expect_gradients<Interpolation::linear, 3>(tested);
    expect_gradients<Interpolation::linear, 4>(tested);
    expect_gradients<Interpolation::smoothstep, 2>(tested);
    expect_gradients<Interpolation::smoothstep, 3>(tested);
  }
}

TEST_F(Grid, HasTheRatesOfMovingPositions) {
  for (const Case& tested : kCases) {
    expect_rates<Interpolation::nearest, 3>(tested);
    expect_rates<Interpolation::linear, 2>(tested);
    expect_rates<Interpolation::linear, 3>(tested);
    expect_rates<Interpolation::linear, 4>(tested);
    expect_rates<Interpolation::smoothstep, 3>(tested);
  }
}

TEST_F(Grid, PositionsOutsideAndNaNReadEntriesOfTheLevel) {
  for (const Case& tested : kCases) {
    const GridLevel level = level_of<3>(tested);
    for (const double bad : {-5.0, -0.01, 1.0, 1.01, 1e30, static_cast<double>(NAN)}) {
      const double x[3] = {bad, 0.5, bad};
      double features[kFeatures];
      grid_features<Interpolation::linear>(level, x, load(), features);  // at() throws outside
    }
  }
}

TEST_F(Grid, NeighboursAlongXShareAPairOfEntries) {
  const GridLevel level = level_of<3>(kCases[1]);
  ASSERT_EQ(level.index, GridIndex::hashed);
  for (std::uint32_t x = 0; x < 40; x += 2) {
    const std::uint32_t low[3] = {x, 7, 11}, high[3] = {x + 1, 7, 11};
    EXPECT_EQ(grid_index<3>(level, low) ^ 1u, grid_index<3>(level, high));
  }
}

}  // namespace
}  // namespace mote
