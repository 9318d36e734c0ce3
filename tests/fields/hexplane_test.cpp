// HexPlanes: values against a plain evaluation in double, vjps and losses against differences.
#include "fields/encodings/hexplane.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/error.h"
#include "support/gradient_fixture.h"

namespace mote {
namespace {

constexpr HexPlaneConfig kSmallPlanes{.features = 16, .levels = 2, .resolution = 4, .moments = 5};

class HexPlane : public Gradient {
 protected:
  static constexpr std::size_t kFeatures = 16;

  /// Reads the feature `f` of the level.
  static auto load(const HexLevel& level, const Values& planes, std::size_t f) {
    return [&level, &planes, f](int plane, std::size_t node) {
      return planes.at(level.first[plane] + node * kFeatures + f);
    };
  }

  static Values values_at(const HexLevel& level, const Values& planes, const Values& place) {
    double x[kHexAxes];
    std::copy_n(place.begin(), kHexAxes, x);
    const HexPoint<double> point = hex_point(level, x);
    Values values;
    for (std::size_t f = 0; f < kFeatures; ++f) {
      values.push_back(hex_value<double>(level, point, load(level, planes, f)));
    }
    return values;
  }

  /// Bilinear interpolation in its own words: hat functions of all nodes.
  static double plain_value(const HexLevel& level, const Values& planes, const Values& place,
                            std::size_t f) {
    constexpr std::array<std::array<int, 2>, 6> kAxes{
        {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}}};
    double product = 1;
    for (int plane = 0; plane < kHexPlanes; ++plane) {
      const auto [u, v] = kAxes[static_cast<std::size_t>(plane)];
      const auto hat = [&](int axis, int node) {
        const double x = std::clamp(place[static_cast<std::size_t>(axis)], 0.0, 1.0);
        return std::max(0.0, 1 - std::abs(x * (level.nodes[axis] - 1) - node));
      };
      double sum = 0;
      for (int b = 0; b < level.nodes[v]; ++b) {
        for (int a = 0; a < level.nodes[u]; ++a) {
          const auto node = static_cast<std::size_t>(b * level.nodes[u] + a);
          sum += hat(u, a) * hat(v, b) * planes.at(level.first[plane] + node * kFeatures + f);
        }
      }
      product *= sum;
    }
    return product;
  }
};

TEST_F(HexPlane, LevelsFollowEachOtherInTheTable) {
  const std::vector<HexLevel> levels = hex_levels(kSmallPlanes);
  ASSERT_EQ(levels.size(), 2u);
  EXPECT_EQ(levels[1].nodes[0], 8);
  EXPECT_EQ(levels[1].nodes[3], 5);
  const std::size_t of_first = (3 * 4 * 4 + 3 * 4 * 5) * kFeatures;
  EXPECT_EQ(levels[1].first[0], of_first);
  EXPECT_EQ(hex_parameters(kSmallPlanes), of_first + (3 * 8 * 8 + 3 * 8 * 5) * kFeatures);
}

TEST_F(HexPlane, SizesOutsideOfTheirRangesAreRefused) {
  for (const HexPlaneConfig& config :
       {HexPlaneConfig{.features = 8}, HexPlaneConfig{.features = 80}, HexPlaneConfig{.levels = 0},
        HexPlaneConfig{.resolution = 1}, HexPlaneConfig{.moments = 1},
        HexPlaneConfig{.features = 64, .levels = 4, .resolution = 4096}}) {
    EXPECT_THROW(hex_levels(config), Error);
  }
}

TEST_F(HexPlane, ValuesAreProductsOfBilinearValues) {
  const Values planes = random(hex_parameters(kSmallPlanes), 0.2, 1.5);
  for (const HexLevel& level : hex_levels(kSmallPlanes)) {
    for (int trial = 0; trial < 30; ++trial) {
      const Values place = random(kHexAxes, -0.2, 1.2);
      const Values values = values_at(level, planes, place);
      for (std::size_t f = 0; f < kFeatures; ++f) {
        ASSERT_NEAR(values[f], plain_value(level, planes, place, f), 1e-12);
      }
    }
  }
}

TEST_F(HexPlane, PlacesThatAreNotNumbersAreAtTheBorder) {
  const HexCell<float> cell = hex_cell(5, std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(cell.node, 0);
  EXPECT_EQ(cell.weight, 0);
  EXPECT_EQ(cell.slope, 0);
  EXPECT_EQ(hex_cell(5, std::numeric_limits<float>::infinity()).node, 3);
  EXPECT_EQ(hex_cell(5, 1.0f).weight, 1);
}

TEST_F(HexPlane, GradientsByPlaceAndNodesAreThoseOfDifferences) {
  const Values planes = random(hex_parameters(kSmallPlanes), 0.2, 1.5);
  const HexLevel level = hex_levels(kSmallPlanes)[1];
  for (int trial = 0; trial < 5; ++trial) {
    const Values place = random(kHexAxes, 0.05, 0.95), weights = random(kFeatures);
    double x[kHexAxes], d_x[kHexAxes] = {};
    std::copy_n(place.begin(), kHexAxes, x);
    const HexPoint<double> point = hex_point(level, x);
    Values d_nodes(planes.size());
    for (std::size_t f = 0; f < kFeatures; ++f) {
      double d_planes[kHexPlanes];
      hex_value_vjp<double>(level, point, load(level, planes, f), weights[f], d_planes, d_x);
      for (int plane = 0; plane < kHexPlanes; ++plane) {
        hex_nodes_vjp<double>(level, point, plane, d_planes[plane],
                              [&](std::size_t node, double gradient) {
                                d_nodes.at(level.first[plane] + node * kFeatures + f) += gradient;
                              });
      }
    }
    expect_gradient([&](const Values& at) { return values_at(level, planes, at); }, place, weights,
                    Values(d_x, d_x + kHexAxes));
    expect_gradient([&](const Values& nodes) { return values_at(level, nodes, place); }, planes,
                    weights, d_nodes);
  }
}

TEST_F(HexPlane, PlacesOutsideHaveNoGradient) {
  const Values planes = random(hex_parameters(kSmallPlanes), 0.2, 1.5);
  const HexLevel level = hex_levels(kSmallPlanes)[0];
  const double x[kHexAxes] = {-0.3, 0.4, 1.2, 0.5};
  double d_planes[kHexPlanes], d_x[kHexAxes] = {};
  hex_value_vjp<double>(level, hex_point(level, x), load(level, planes, 0), 1.0, d_planes, d_x);
  EXPECT_EQ(d_x[0], 0);
  EXPECT_NE(d_x[1], 0);
  EXPECT_EQ(d_x[2], 0);
  EXPECT_NE(d_x[3], 0);
}

/// The losses of a plane with one feature, in their own words.
double plain_losses(const HexLevel& level, int plane, const Values& values, double space,
                    double time, double still) {
  const HexAxes axes = hex_axes(plane);
  const int u = level.nodes[axes.u], v = level.nodes[axes.v];
  const auto at = [&](int a, int b) { return values.at(static_cast<std::size_t>(b * u + a)); };
  double steps_u = 0, steps_v = 0, bends = 0, from_one = 0;
  for (int b = 0; b < v; ++b) {
    for (int a = 0; a < u; ++a) {
      if (a + 1 < u) steps_u += std::pow(at(a + 1, b) - at(a, b), 2);
      if (b + 1 < v) steps_v += std::pow(at(a, b + 1) - at(a, b), 2);
      if (b + 2 < v) bends += std::pow(at(a, b + 2) - 2 * at(a, b + 1) + at(a, b), 2);
      from_one += std::abs(1 - at(a, b));
    }
  }
  if (plane < 3) return 2 * space * (steps_u / ((u - 1) * v) + steps_v / (u * (v - 1)));
  return time * bends / (u * (v - 2)) + still * from_one / (u * v);
}

TEST_F(HexPlane, GradientsOfTheLossesAreThoseOfDifferences) {
  const HexLevel level = hex_levels(kSmallPlanes)[0];
  for (int plane = 0; plane < kHexPlanes; ++plane) {
    const Values values = random(level.nodes_of(plane), 0.2, 1.5);
    const int u = level.nodes[hex_axes(plane).u], v = level.nodes[hex_axes(plane).v];
    const auto weights = hex_smoothness<double>(level, plane, 1, 0.5f, 0.25f, 0.75f);
    Values gradient;
    for (int b = 0; b < v; ++b) {
      for (int a = 0; a < u; ++a) {
        gradient.push_back(
            hex_smoothness_vjp<double>(level, plane, weights, a, b, [&](int own_u, int own_v) {
              return values.at(static_cast<std::size_t>(own_v * u + own_u));
            }));
      }
    }
    expect_gradient(
        [&](const Values& at) { return Values{plain_losses(level, plane, at, 0.5, 0.25, 0.75)}; },
        values, {1.0}, gradient);
  }
}

}  // namespace
}  // namespace mote
