// The grid kernels of each instruction set against the lane templates in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/buffer.h"
#include "cpu/kernels.h"
#include "fields/encodings/grid.h"
#include "support/usable_isas.h"

namespace mote {
namespace {

constexpr std::size_t kPositions = 150;  // the last pack is not full

/// Bits of a half near a value below 2, and the value of bits. Denormal halves are included.
std::uint16_t half_bits(float value) {
  const float size = std::abs(value);
  const int exponent = size > 0 ? std::max(std::ilogb(size), -14) : -14;
  const auto units = static_cast<unsigned>(std::ldexp(size, 10 - exponent));
  return static_cast<std::uint16_t>((value < 0 ? 0x8000u : 0u) +
                                    (static_cast<unsigned>(exponent + 14) << 10) + units);
}
double half_value(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  const double size =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

/// A grid with its table, some positions, and gradients of the features.
struct GridProblem {
  explicit GridProblem(const GridConfig& c) : config(c), levels(grid_levels(c)) {
    std::mt19937 random(5);
    const auto uniform = [&](double low, double high) {
      return static_cast<float>(low + (high - low) * static_cast<double>(random()) / 4294967295.0);
    };
    table.resize(grid_parameters(c));
    for (std::uint16_t& bits : table) bits = half_bits(uniform(-1, 1));
    table[0] = 1;  // the smallest half
    stride = field_plane_stride(kPositions);
    positions.resize_discard(stride * static_cast<std::size_t>(c.dimensions));
    for (float& x : positions.span()) x = uniform(0, 1);
    features.resize_discard(stride * planes());
    d_features.resize_discard(stride * planes());
    for (float& d : d_features.span()) d = uniform(-1, 1);
    d_table.assign(grid_parameters(c), 0.0f);
  }
  std::size_t planes() const {
    return static_cast<std::size_t>(config.levels) * static_cast<std::size_t>(config.features);
  }
  double table_value(const GridLevel& level, std::uint32_t index, int feature) const {
    const std::size_t at =
        (std::size_t{level.first} + index) * static_cast<std::size_t>(config.features) +
        static_cast<std::size_t>(feature);
    return half_value(table.at(at));
  }

  GridConfig config;
  std::vector<GridLevel> levels;
  std::vector<std::uint16_t> table;
  std::size_t stride = 0;
  Buffer<float> positions, features, d_features;
  std::vector<float> d_table;
};

/// Whether rounding may move the position to another cell.
bool is_near_border(const GridLevel& level, double x) {
  const double at = static_cast<double>(level.scale) * x + 0.5;
  return std::abs(at - std::round(at)) < 1e-4;
}

template <Interpolation INTERPOLATION, int D, int FEATURES>
void expect_double_values(const CpuKernels& kernels, GridProblem& p) {
  const GridParams forward{D,
                           FEATURES,
                           INTERPOLATION,
                           p.levels.data(),
                           p.table.data(),
                           p.positions.data(),
                           p.features.data(),
                           p.stride};
  GridBackwardParams backward{
      D,          FEATURES, INTERPOLATION, p.levels.data(), p.positions.data(), p.d_features.data(),
      kPositions, p.stride, nullptr};
  std::vector<double> d_table(p.d_table.size());
  for (int l = 0; l < p.config.levels; ++l) {
    const GridLevel& level = p.levels[static_cast<std::size_t>(l)];
    kernels.encode_grid(forward, l, 0, 64);
    kernels.encode_grid(forward, l, 64, kPositions);
    backward.d_table = p.d_table.data() + std::size_t{level.first} * FEATURES;
    kernels.encode_grid_backward(backward, l);
    const std::size_t plane = static_cast<std::size_t>(l * FEATURES) * p.stride;
    for (std::size_t i = 0; i < kPositions; ++i) {
      double x[D], expected[FEATURES], d[FEATURES];
      bool skipped = false;
      for (std::size_t axis = 0; axis < D; ++axis) {
        x[axis] = static_cast<double>(p.positions[axis * p.stride + i]);
        skipped |= is_near_border(level, x[axis]);
      }
      grid_features<INTERPOLATION>(
          level, x, [&](std::uint32_t index, int f) { return p.table_value(level, index, f); },
          expected);
      for (std::size_t f = 0; f < FEATURES; ++f) {
        if (!skipped) {
          EXPECT_NEAR(p.features[plane + f * p.stride + i], expected[f], 1e-4);
        }
        d[f] = static_cast<double>(p.d_features[plane + f * p.stride + i]);
      }
      grid_parameters_vjp<INTERPOLATION>(
          level, x, d, [&](std::uint32_t index, int f, double gradient) {
            d_table.at((std::size_t{level.first} + index) * FEATURES +
                       static_cast<std::size_t>(f)) += gradient;
          });
    }
  }
  // Near a border, rounding may choose the other cell. Weights are continuous there, except for
  // the nearest point.
  if constexpr (INTERPOLATION != Interpolation::nearest) {
    for (std::size_t i = 0; i < d_table.size(); ++i) ASSERT_NEAR(p.d_table[i], d_table[i], 1e-3);
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

template <Interpolation INTERPOLATION, int D>
void expect_each_size(const CpuKernels& kernels, GridKind kind) {
  const auto with = [&]<int FEATURES>() {
    GridProblem problem(config_of(kind, INTERPOLATION, D, FEATURES));
    expect_double_values<INTERPOLATION, D, FEATURES>(kernels, problem);
  };
  with.template operator()<1>();
  with.template operator()<2>();
  with.template operator()<4>();
  with.template operator()<8>();
}

class FieldGrid : public testing::TestWithParam<const IsaEntry*> {
 protected:
  static const CpuKernels& kernels() { return *GetParam()->kernels; }
};

INSTANTIATE_TEST_SUITE_P(On, FieldGrid, testing::ValuesIn(usable_isas()),
                         [](const auto& info) { return std::string(info.param->kernels->name); });

TEST_P(FieldGrid, HasTheValuesAndGradientsOfTheTemplates) {
  for (const GridKind kind : {GridKind::hash, GridKind::dense, GridKind::tiled}) {
    SCOPED_TRACE(static_cast<int>(kind));
    expect_each_size<Interpolation::linear, 2>(kernels(), kind);
    expect_each_size<Interpolation::linear, 3>(kernels(), kind);
    expect_each_size<Interpolation::linear, 4>(kernels(), kind);
    expect_each_size<Interpolation::smoothstep, 3>(kernels(), kind);
    expect_each_size<Interpolation::nearest, 3>(kernels(), kind);
  }
}

TEST_P(FieldGrid, SplittingThePositionsChangesNothing) {
  GridProblem whole(config_of(GridKind::hash, Interpolation::linear, 3, 2));
  GridProblem parts(whole.config);
  const auto params = [](GridProblem& p) {
    return GridParams{3,
                      2,
                      Interpolation::linear,
                      p.levels.data(),
                      p.table.data(),
                      p.positions.data(),
                      p.features.data(),
                      p.stride};
  };
  for (int level = 0; level < 4; ++level) {
    kernels().encode_grid(params(whole), level, 0, kPositions);
    for (std::size_t begin = 0; begin < kPositions; begin += 48) {
      kernels().encode_grid(params(parts), level, begin, std::min(begin + 48, kPositions));
    }
    for (int f = 0; f < 2; ++f) {
      for (std::size_t i = 0; i < kPositions; ++i) {
        const std::size_t at = static_cast<std::size_t>(level * 2 + f) * whole.stride + i;
        ASSERT_EQ(whole.features[at], parts.features[at]);
      }
    }
  }
}

}  // namespace
}  // namespace mote
