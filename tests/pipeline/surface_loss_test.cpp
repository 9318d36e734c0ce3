// The surface payload and its losses in double: values against their definition, and gradients
// against central differences.
#include "pipeline/surface_loss.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

namespace mote {
namespace {

using Vec = Vec3<double>;
constexpr double kStep = 1e-6;

class SurfaceMaths : public testing::Test {
 protected:
  double draw() { return std::uniform_real_distribution<double>(-1, 1)(engine_); }
  Vec vector() { return {draw(), draw(), draw()}; }
  SurfacePoint<double> point() { return {2 + draw(), normalize(vector())}; }
  SurfaceGradient<double> gradient() {
    SurfaceGradient<double> d{};
    for (double& value : d.value) value = draw();
    return d;
  }
  DepthStencil<double> stencil() {
    return {3 + 0.1 * draw(), 3 + 0.1 * draw(), 3 + 0.1 * draw(), 3 + 0.1 * draw()};
  }

  std::mt19937 engine_{7};
  Pinhole<double> camera_ = make_pinhole<double>(300, 320, 40, 30, 80, 60);
};

/// dL/dsums . sums of one splat, whose weight is `weight`.
double payload(const SurfacePoint<double>& at, double weight, const SurfaceGradient<double>& d) {
  double sums[kSurfaceSums] = {};
  add_to_surface(at, weight, sums);
  return surface_behind(sums, weight, d);
}

TEST_F(SurfaceMaths, PlacesAreZeroAtTheNearPlaneAndOneAtTheFarPlane) {
  EXPECT_NEAR(place_of_depth(1 / 0.2), 0, 1e-6);
  EXPECT_NEAR(place_of_depth(1 / 100.0), 1, 1e-6);
}

TEST_F(SurfaceMaths, PayloadsHaveTheGradientOfTheirSums) {
  for (int round = 0; round < 20; ++round) {
    const SurfacePoint<double> at = point();
    const SurfaceGradient<double> d = gradient();
    const double weight = 0.5 + 0.4 * draw();
    EXPECT_NEAR(along_surface(at, d) * weight, payload(at, weight, d), 1e-9);
    const SurfacePoint<double> found = surface_vjp(at, weight, d);
    const auto difference = [&](double SurfacePoint<double>::*depth, double Vec::*axis) {
      SurfacePoint<double> plus = at, minus = at;
      (depth != nullptr ? plus.*depth : plus.normal.*axis) += kStep;
      (depth != nullptr ? minus.*depth : minus.normal.*axis) -= kStep;
      return (payload(plus, weight, d) - payload(minus, weight, d)) / (2 * kStep);
    };
    EXPECT_NEAR(found.depth, difference(&SurfacePoint<double>::depth, nullptr), 1e-6);
    EXPECT_NEAR(found.normal.x, difference(nullptr, &Vec::x), 1e-6);
    EXPECT_NEAR(found.normal.y, difference(nullptr, &Vec::y), 1e-6);
    EXPECT_NEAR(found.normal.z, difference(nullptr, &Vec::z), 1e-6);
  }
}

TEST_F(SurfaceMaths, DistortionIsTheSumOverPairs) {
  std::vector<double> weights, places;
  double coverage = 0, sum = 0, squares = 0, pairs = 0;
  for (int i = 0; i < 6; ++i) {
    weights.push_back(0.1 + 0.05 * draw());
    places.push_back(draw());
    coverage += weights.back();
    sum += weights.back() * places.back();
    squares += weights.back() * places.back() * places.back();
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      pairs += weights[i] * weights[j] * (places[i] - places[j]) * (places[i] - places[j]);
    }
  }
  EXPECT_NEAR(distortion_of(coverage, sum, squares), pairs, 1e-12);
}

TEST_F(SurfaceMaths, APlaneFacingTheCameraHasANormalTowardsIt) {
  const Vec normal = normalize(
      surface_normal(surface_slopes(camera_, 20.5, 30.5, DepthStencil<double>{3, 3, 3, 3})));
  EXPECT_NEAR(normal.x, 0, 1e-12);
  EXPECT_NEAR(normal.y, 0, 1e-12);
  EXPECT_NEAR(normal.z, -1, 1e-12);
}

TEST_F(SurfaceMaths, ConsistentNormalsCostNothing) {
  const SurfaceSlopes<double> slopes = surface_slopes(camera_, 20.5, 30.5, stencil());
  const NormalLoss<double> loss = normal_loss(slopes, normalize(surface_normal(slopes)), 1.0, 0.7);
  EXPECT_NEAR(loss.loss, 0, 1e-9);
}

TEST_F(SurfaceMaths, NormalConsistencyHasTheGradientOfItsValue) {
  for (int round = 0; round < 20; ++round) {
    const DepthStencil<double> z = stencil();
    const Vec normals = vector();
    const double coverage = 0.6 + 0.3 * draw(), x = 20.5 + round, y = 31.5;
    const NormalLoss<double> found =
        normal_loss(surface_slopes(camera_, x, y, z), normals, coverage, 0.7);
    const auto loss = [&](const DepthStencil<double>& depths, Vec sum) {
      return normal_loss(surface_slopes(camera_, x, y, depths), sum, coverage, 0.7).loss;
    };
    const auto by_normal = [&](double Vec::*axis) {
      Vec plus = normals, minus = normals;
      plus.*axis += kStep;
      minus.*axis -= kStep;
      return (loss(z, plus) - loss(z, minus)) / (2 * kStep);
    };
    EXPECT_NEAR(found.d_normal_sum.x, by_normal(&Vec::x), 1e-7);
    EXPECT_NEAR(found.d_normal_sum.y, by_normal(&Vec::y), 1e-7);
    EXPECT_NEAR(found.d_normal_sum.z, by_normal(&Vec::z), 1e-7);
    const auto by_depth = [&](double DepthStencil<double>::*side) {
      DepthStencil<double> plus = z, minus = z;
      plus.*side += kStep;
      minus.*side -= kStep;
      return (loss(plus, normals) - loss(minus, normals)) / (2 * kStep);
    };
    const Vec none{0, 0, 0}, d_x = found.d_slopes.along_x, d_y = found.d_slopes.along_y;
    // The pixel on the right is the one whose left neighbour holds these slopes, and so on.
    EXPECT_NEAR(surface_slopes_vjp(camera_, x + 1, y, d_x, none, none, none),
                by_depth(&DepthStencil<double>::right), 1e-6);
    EXPECT_NEAR(surface_slopes_vjp(camera_, x - 1, y, none, d_x, none, none),
                by_depth(&DepthStencil<double>::left), 1e-6);
    EXPECT_NEAR(surface_slopes_vjp(camera_, x, y + 1, none, none, d_y, none),
                by_depth(&DepthStencil<double>::below), 1e-6);
    EXPECT_NEAR(surface_slopes_vjp(camera_, x, y - 1, none, none, none, d_y),
                by_depth(&DepthStencil<double>::above), 1e-6);
  }
}

TEST_F(SurfaceMaths, PixelsHaveTheGradientOfBothLosses) {
  const double d_expected = draw();
  const SurfaceWeights<double> weights{0.3, 0};
  double sums[kSurfaceSums];
  for (double& sum : sums) sum = draw();
  const double coverage = 0.7;
  const auto loss = [&](const double(&at)[kSurfaceSums], double a) {
    return weights.distortion * distortion_of(a, at[kPlaceSum], at[kSquaredPlaceSum]) +
           d_expected * expected_depth(a, at[kDepthSum]);
  };
  const SurfaceGradient<double> found =
      surface_gradient(sums, coverage, d_expected, Vec{1, 2, 3}, weights);
  for (const int k : {kDepthSum, kPlaceSum, kSquaredPlaceSum}) {
    double plus[kSurfaceSums], minus[kSurfaceSums];
    std::copy(std::begin(sums), std::end(sums), plus);
    std::copy(std::begin(sums), std::end(sums), minus);
    plus[k] += kStep;
    minus[k] -= kStep;
    EXPECT_NEAR(found.value[k], (loss(plus, coverage) - loss(minus, coverage)) / (2 * kStep), 1e-7);
  }
  EXPECT_NEAR(found.value[kCoverageGradient],
              (loss(sums, coverage + kStep) - loss(sums, coverage - kStep)) / (2 * kStep), 1e-7);
  EXPECT_EQ(found.value[kNormalYSum], 2);
}

TEST_F(SurfaceMaths, EmptyPixelsHaveNoGradientAndNoInfinities) {
  const double sums[kSurfaceSums] = {};
  EXPECT_EQ(expected_depth(0.0, 0.0), 0);
  const SurfaceGradient<double> d =
      surface_gradient(sums, 0.0, 5.0, Vec{0, 0, 0}, SurfaceWeights<double>{1, 1});
  for (const double value : d.value) EXPECT_EQ(value, 0);
  const NormalLoss<double> loss = normal_loss(
      surface_slopes(camera_, 1.5, 1.5, DepthStencil<double>{0, 0, 0, 0}), Vec{0, 0, 1}, 0.0, 1.0);
  EXPECT_TRUE(std::isfinite(loss.loss));
  EXPECT_EQ(loss.d_slopes.along_x.z, 0);
}

}  // namespace
}  // namespace mote
