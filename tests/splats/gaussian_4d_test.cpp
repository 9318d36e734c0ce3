// Gaussians in space and time: their slices against their density, and their directions against
// matrices of quaternions and rotations in space.
#include "splats/gaussian_4d.h"

#include <gtest/gtest.h>

#include <cmath>
#include <glm/mat4x4.hpp>
#include <glm/matrix.hpp>
#include <random>

#include "math/quaternion.h"

namespace mote {
namespace {

using Axes = std::array<std::array<double, 4>, 4>;

class Gaussians4d : public testing::Test {
 protected:
  double next() { return unit_(engine_); }
  template <std::size_t COUNT>
  std::array<double, COUNT> some() {
    std::array<double, COUNT> values;
    for (double& value : values) value = next();
    return values;
  }
  Gaussian4d random_gaussian(const Axes& axes) {
    Gaussian4d gaussian{.axis = axes};
    for (double& scale : gaussian.scale) scale = std::exp(next());
    return gaussian;
  }

  std::mt19937 engine_{4};
  std::uniform_real_distribution<double> unit_{-1, 1};
};

glm::dmat4 covariance_of(const Gaussian4d& gaussian) {
  glm::dmat4 sum(0);
  for (std::size_t k = 0; k < 4; ++k) {
    const auto& a = gaussian.axis[k];
    const glm::dvec4 axis(a[0], a[1], a[2], a[3]);
    sum += gaussian.scale[k] * gaussian.scale[k] * glm::outerProduct(axis, axis);
  }
  return sum;
}

void expect_orthonormal(const Axes& axes) {
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t k = 0; k < 4; ++k) {
      double sum = 0;
      for (std::size_t c = 0; c < 4; ++c) sum += axes[i][c] * axes[k][c];
      EXPECT_NEAR(sum, i == k ? 1 : 0, 1e-12);
    }
  }
}

/// The exponent of the Gaussian is the sum of those of the weight and of the slice.
TEST_F(Gaussians4d, TheSliceAndTheLifeHaveTheDensityOfTheWhole) {
  for (int round = 0; round < 60; ++round) {
    const bool rotor = round % 2 == 0;
    const Gaussian4d gaussian = random_gaussian(rotor ? axes_of_rotor(some<8>())
                                                      : axes_of_biquaternion(some<4>(), some<4>()));
    const SlicedGaussian slice = sliced(gaussian);
    const glm::dmat4 inverse = glm::inverse(covariance_of(gaussian));
    const auto& q = slice.rotation;
    const Mat3<double> turn = rotation_from(Quaternion<double>{q[0], q[1], q[2], q[3]});
    for (int point = 0; point < 20; ++point) {
      const glm::dvec4 at(next(), next(), next(), next());
      const double whole = glm::dot(at, inverse * at);
      const Vec3<double> rest{at.x - slice.velocity[0] * at.w, at.y - slice.velocity[1] * at.w,
                              at.z - slice.velocity[2] * at.w};
      double parts = at.w * at.w / (slice.sigma * slice.sigma);
      const Vec3<double> columns[] = {{turn.row0.x, turn.row1.x, turn.row2.x},
                                      {turn.row0.y, turn.row1.y, turn.row2.y},
                                      {turn.row0.z, turn.row1.z, turn.row2.z}};
      for (std::size_t k = 0; k < 3; ++k) {
        const double along = dot(columns[k], rest) / slice.scale[k];
        parts += along * along;
      }
      EXPECT_NEAR(parts, whole, 1e-8 * (1 + whole));
    }
  }
}

TEST_F(Gaussians4d, DirectionsStayAtRightAngles) {
  for (int round = 0; round < 50; ++round) {
    expect_orthonormal(axes_of_biquaternion(some<4>(), some<4>()));
    expect_orthonormal(axes_of_rotor(some<8>()));
  }
}

/// The product of the matrices of l X and of X conj(r), with both orders reversed.
TEST_F(Gaussians4d, BiquaternionsTurnAsTheirMatrices) {
  const auto unit = [](std::array<double, 4> q) {
    double squares = 0;
    for (const double value : q) squares += value * value;
    for (double& value : q) value /= std::sqrt(squares);
    return q;
  };
  const auto l = unit(some<4>()), r = unit(some<4>());
  const double left[4][4] = {{l[0], -l[1], -l[2], -l[3]},
                             {l[1], l[0], -l[3], l[2]},
                             {l[2], l[3], l[0], -l[1]},
                             {l[3], -l[2], l[1], l[0]}};
  const double right[4][4] = {{r[0], r[1], r[2], r[3]},
                              {-r[1], r[0], -r[3], r[2]},
                              {-r[2], r[3], r[0], -r[1]},
                              {-r[3], -r[2], r[1], r[0]}};
  const Axes axes = axes_of_biquaternion(l, r);
  for (std::size_t row = 0; row < 4; ++row) {
    for (std::size_t column = 0; column < 4; ++column) {
      double sum = 0;
      for (std::size_t k = 0; k < 4; ++k) sum += left[3 - row][k] * right[k][3 - column];
      EXPECT_NEAR(axes[column][row], sum, 1e-12);
    }
  }
}

/// A rotor without parts in time is the quaternion of the same turn, of any length.
TEST_F(Gaussians4d, RotorsOfSpaceTurnAsQuaternions) {
  for (int round = 0; round < 20; ++round) {
    const auto q = some<4>();
    const Axes axes = axes_of_rotor({q[0], -q[3], q[2], -q[1], 0, 0, 0, 0});
    const Mat3<double> turn = rotation_from(Quaternion<double>{q[0], q[1], q[2], q[3]});
    const double expected[3][3] = {{turn.row0.x, turn.row0.y, turn.row0.z},
                                   {turn.row1.x, turn.row1.y, turn.row1.z},
                                   {turn.row2.x, turn.row2.y, turn.row2.z}};
    for (std::size_t row = 0; row < 3; ++row) {
      for (std::size_t column = 0; column < 3; ++column) {
        EXPECT_NEAR(axes[column][row], expected[row][column], 1e-12);
      }
      EXPECT_NEAR(axes[3][row], 0, 1e-12);
    }
  }
}

/// s + b e_xt turns x towards -t by twice the angle.
TEST_F(Gaussians4d, ARotorOfTimeGivesAVelocity) {
  const double angle = 0.3;
  const Axes axes = axes_of_rotor({std::cos(angle), 0, 0, 0, std::sin(angle), 0, 0, 0});
  EXPECT_NEAR(axes[0][0], std::cos(2 * angle), 1e-12);
  EXPECT_NEAR(axes[0][3], -std::sin(2 * angle), 1e-12);
  EXPECT_NEAR(axes[3][0], std::sin(2 * angle), 1e-12);
  const SlicedGaussian slice = sliced({.scale = {0.1, 1, 1, 1}, .axis = axes});
  EXPECT_GT(slice.velocity[0], 0.1);
  EXPECT_NEAR(slice.velocity[1], 0, 1e-12);
}

TEST_F(Gaussians4d, ValuesThatAreNotFiniteStayVisible) {
  const SlicedGaussian slice =
      sliced({.scale = {NAN, 1, 1, 1}, .axis = axes_of_biquaternion({1, 0, 0, 0}, {1, 0, 0, 0})});
  EXPECT_TRUE(std::isnan(slice.scale[0]) || std::isnan(slice.sigma) ||
              std::isnan(slice.rotation[0]));
}

}  // namespace
}  // namespace mote
