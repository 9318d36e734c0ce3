// The grid kernels against the lane templates in double.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "cuda/kernels/fields/grid_encoding.h"
#include "cuda/kernels/fields/grid_gradients.h"
#include "field_kernels_fixture.h"
#include "fields/encodings/grid.h"

namespace mote::cuda {
namespace {

constexpr unsigned kGridSamples = 150;    // the last warp is not full
constexpr std::size_t kGridStride = 160;  // of planes
constexpr float kGridLossScale = 128;

using GridKernels = OnTheHostRun;

/// A grid with its table, some positions, and gradients of the features.
struct GridProblem {
  explicit GridProblem(const GridConfig& c, unsigned seed = 5) : config(c), levels(grid_levels(c)) {
    std::mt19937 random(seed);
    const std::size_t parameters = grid_parameters(c), features = features_of(c);
    for (const float value : random_floats(random, parameters, -1, 1)) {
      table.push_back(to_half(value));
    }
    table[0] = 1;  // the smallest half
    // An even number of entries.
    if (entries() % 2 != 0) table.resize(table.size() + static_cast<std::size_t>(c.features));
    positions = random_floats(random, kGridStride * static_cast<std::size_t>(c.dimensions), 0, 1);
    const std::vector<float> d = random_floats(random, kGridStride * features, -1, 1);
    for (std::size_t plane = 0; plane < features / 2; ++plane) {
      for (std::size_t i = 0; i < kGridStride; ++i) {
        d_features.push_back(half_pair(kGridLossScale * d[2 * plane * kGridStride + i],
                                       kGridLossScale * d[(2 * plane + 1) * kGridStride + i]));
      }
    }
  }
  static std::size_t features_of(const GridConfig& c) {
    return static_cast<std::size_t>(c.levels) * static_cast<std::size_t>(c.features);
  }
  std::size_t entries() const { return std::size_t{levels.back().first} + levels.back().entries; }
  std::size_t place(const GridLevel& level, std::uint32_t index, int feature) const {
    return (std::size_t{level.first} + index) * static_cast<std::size_t>(config.features) +
           static_cast<std::size_t>(feature);
  }
  float d_feature(std::size_t feature, std::size_t i) const {
    const std::uint32_t word = d_features[feature / 2 * kGridStride + i];
    return (feature % 2 == 0 ? low_of(word) : high_of(word)) / kGridLossScale;
  }

  GridConfig config;
  std::vector<GridLevel> levels;
  std::vector<std::uint16_t> table;
  std::vector<float> positions;
  std::vector<std::uint32_t> d_features;
};

/// Whether rounding may move the position to another cell.
bool is_near_border(const GridLevel& level, double x) {
  const double at = static_cast<double>(level.scale) * x + 0.5;
  return std::abs(at - std::round(at)) < 1e-4;
}

std::vector<std::uint32_t> encoded(const GridProblem& p) {
  const auto levels = on_device(p.levels);
  const auto table = on_device(p.table);
  const auto positions = on_device(p.positions);
  auto features =
      zeros_on_device<std::uint32_t>(GridProblem::features_of(p.config) / 2 * kGridStride);
  run_grid_encoding({.config = p.config,
                     .levels = levels.data(),
                     .table = table.data(),
                     .positions = positions.data(),
                     .count = kGridSamples,
                     .stride = kGridStride,
                     .features = features.data()},
                    nullptr);
  return from_device(features);
}

struct GridGradients {
  std::vector<float> of_table;
  unsigned non_finite;
};

GridGradients gradients(const GridProblem& p, GradientSums kind) {
  const auto levels = on_device(p.levels);
  const auto positions = on_device(p.positions);
  const auto d_features = on_device(p.d_features);
  const std::size_t parameters = grid_parameters(p.config);
  auto sums = zeros_on_device<std::byte>(parameters * sum_bytes(kind));
  auto non_finite = zeros_on_device<unsigned>(1);
  const GridGradientArgs args{.config = p.config,
                              .levels = levels.data(),
                              .positions = positions.data(),
                              .d_features = d_features.data(),
                              .count = kGridSamples,
                              .stride = kGridStride,
                              .loss_scale = kGridLossScale,
                              .sums = sums.data(),
                              .non_finite = non_finite.data()};
  run_grid_gradients(args, kind, nullptr);
  const std::vector<std::byte> bytes = from_device(sums);
  const float factor = gradient_of_sum(kind, kGridSamples, kGridLossScale);
  std::vector<float> result(parameters);
  for (std::size_t i = 0; i < parameters; ++i) {
    if (kind == GradientSums::floats) {
      std::memcpy(&result[i], bytes.data() + i * sizeof(float), sizeof(float));
    } else {
      std::int64_t sum = 0;
      std::memcpy(&sum, bytes.data() + i * sizeof sum, sizeof sum);
      result[i] = static_cast<float>(sum);
    }
    result[i] *= factor;
  }
  return {result, from_device(non_finite)[0]};
}

template <Interpolation INTERPOLATION, int D, int FEATURES>
void expect_double_values(const GridProblem& p) {
  const std::vector<std::uint32_t> features = encoded(p);
  std::vector<double> d_table(grid_parameters(p.config));
  for (std::size_t l = 0; l < p.levels.size(); ++l) {
    const GridLevel& level = p.levels[l];
    for (std::size_t i = 0; i < kGridSamples; ++i) {
      double x[D], expected[FEATURES], d[FEATURES];
      bool skipped = false;
      for (std::size_t axis = 0; axis < D; ++axis) {
        x[axis] = static_cast<double>(p.positions[axis * kGridStride + i]);
        skipped |= is_near_border(level, x[axis]);
      }
      grid_features<INTERPOLATION>(
          level, x,
          [&](std::uint32_t index, int f) {
            return static_cast<double>(from_half(p.table.at(p.place(level, index, f))));
          },
          expected);
      for (std::size_t f = 0; f < FEATURES; ++f) {
        const std::size_t feature = l * FEATURES + f;
        const std::uint32_t word = features[feature / 2 * kGridStride + i];
        // The features are rounded to halves.
        if (!skipped) {
          ASSERT_NEAR(feature % 2 == 0 ? low_of(word) : high_of(word), expected[f], 6e-4);
        }
        d[f] = static_cast<double>(p.d_feature(feature, i));
      }
      grid_parameters_vjp<INTERPOLATION>(level, x, d,
                                         [&](std::uint32_t index, int f, double gradient) {
                                           d_table.at(p.place(level, index, f)) += gradient;
                                         });
    }
  }
  // Near a border, rounding may choose the other cell. Weights are continuous there, except for
  // the nearest point.
  if constexpr (INTERPOLATION == Interpolation::nearest) return;
  for (const GradientSums kind : {GradientSums::fixed_point, GradientSums::floats}) {
    const GridGradients own = gradients(p, kind);
    EXPECT_EQ(own.non_finite, 0u);
    for (std::size_t i = 0; i < d_table.size(); ++i) {
      ASSERT_NEAR(own.of_table[i], d_table[i], 1e-4) << i;
    }
  }
}

GridConfig config_of(GridKind kind, Interpolation interpolation, int dimensions, int features) {
  return {.kind = kind,
          .interpolation = interpolation,
          .dimensions = dimensions,
          .levels = 4,
          .features = features,
          .log2_table_size = 9,
          .base_resolution = 5,
          .per_level_scale = 1.7};
}

template <Interpolation INTERPOLATION>
void expect_each_size() {
  for (const GridKind kind : {GridKind::hash, GridKind::dense, GridKind::tiled}) {
    const auto with = [&]<int D, int FEATURES>() {
      SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(kind) << ", " << D
                                      << " dimensions, " << FEATURES << " features");
      expect_double_values<INTERPOLATION, D, FEATURES>(
          GridProblem(config_of(kind, INTERPOLATION, D, FEATURES)));
    };
    with.template operator()<2, 2>();
    with.template operator()<2, 4>();
    with.template operator()<2, 8>();
    with.template operator()<3, 2>();
    with.template operator()<3, 4>();
    with.template operator()<3, 8>();
  }
}

TEST_F(GridKernels, HaveTheFeaturesOfTheNearestPointInDouble) {
  expect_each_size<Interpolation::nearest>();
}
TEST_F(GridKernels, HaveTheLinearValuesAndGradientsInDouble) {
  expect_each_size<Interpolation::linear>();
}
TEST_F(GridKernels, HaveTheSmoothValuesAndGradientsInDouble) {
  expect_each_size<Interpolation::smoothstep>();
}

TEST_F(GridKernels, AddGradientsOfTheNearestPoint) {
  GridProblem p(config_of(GridKind::hash, Interpolation::nearest, 3, 2));
  for (float& x : p.positions) x = 0.3f;  // all in one cell of each level
  const std::vector<float> own = gradients(p, GradientSums::fixed_point).of_table;
  for (std::size_t l = 0; l < p.levels.size(); ++l) {
    double sum = 0, found = 0;
    for (std::size_t i = 0; i < kGridSamples; ++i)
      sum += static_cast<double>(p.d_feature(2 * l, i));
    const float x[3] = {0.3f, 0.3f, 0.3f};
    for_each_corner<Interpolation::nearest>(
        p.levels[l], grid_cell<Interpolation::nearest>(p.levels[l], x),
        [&](int, std::uint32_t index, float) {
          found = static_cast<double>(own[p.place(p.levels[l], index, 0)]);
        });
    EXPECT_NEAR(found, sum, 1e-4);
  }
}

/// Positions along a line, as samples of a ray, so that warps lie in few cells of coarse levels.
GridProblem ray_problem() {
  GridProblem p(config_of(GridKind::hash, Interpolation::linear, 3, 2));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < kGridStride; ++i) {
      p.positions[axis * kGridStride + i] =
          0.2f + 0.0007f * static_cast<float>(i) + 0.1f * static_cast<float>(axis);
    }
  }
  return p;
}

TEST_F(GridKernels, AddUpTheLanesOfAWarpInTheSameCell) {
  expect_double_values<Interpolation::linear, 3, 2>(ray_problem());
}

TEST_F(GridKernels, HaveTheSameGradientsInAnyOrderBitForBit) {
  for (const GridProblem& p :
       {ray_problem(), GridProblem(config_of(GridKind::hash, Interpolation::linear, 3, 4))}) {
    const std::vector<float> first = gradients(p, GradientSums::fixed_point).of_table;
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
      cuda_host::machine().schedule_seed = seed;
      cuda_host::machine().blocks_in_flight = 3;
      EXPECT_EQ(gradients(p, GradientSums::fixed_point).of_table, first);
    }
    cuda_host::reset();
  }
}

TEST_F(GridKernels, CountGradientsThatAreNotFiniteAndLeaveThemOut) {
  GridProblem p(config_of(GridKind::dense, Interpolation::linear, 2, 2));
  GridProblem clean = p;
  p.d_features[3] = half_pair(INFINITY, 0);
  p.d_features[7] = half_pair(1, NAN);
  clean.d_features[3] = half_pair(0, 0);
  clean.d_features[7] = half_pair(1, 0);
  const GridGradients own = gradients(p, GradientSums::fixed_point);
  EXPECT_EQ(own.non_finite, 2u);
  EXPECT_EQ(own.of_table, gradients(clean, GradientSums::fixed_point).of_table);
}

TEST_F(GridKernels, HoldTheSumOfTheLargestGradientsOfAllPositions) {
  GridProblem p(config_of(GridKind::hash, Interpolation::nearest, 3, 2));
  for (float& x : p.positions) x = 0.3f;
  for (std::uint32_t& word : p.d_features) word = half_pair(65504, -65504);
  const std::vector<float> own = gradients(p, GradientSums::fixed_point).of_table;
  EXPECT_EQ(*std::ranges::max_element(own), 65504.0f * kGridSamples / kGridLossScale);
  EXPECT_EQ(*std::ranges::min_element(own), -65504.0f * kGridSamples / kGridLossScale);
}

TEST(GridKernelList, HasTwoOrThreeDimensionsAndOneTwoFourOrEightFeatures) {
  EXPECT_TRUE(has_grid_kernels({.dimensions = 2, .features = 8}));
  EXPECT_FALSE(has_grid_kernels({.dimensions = 4, .features = 2}));
  EXPECT_TRUE(has_grid_kernels({.dimensions = 3, .features = 1}));
  EXPECT_FALSE(has_grid_kernels({.dimensions = 3, .features = 3}));
}

}  // namespace
}  // namespace mote::cuda
