#include "splats/gaussian_4d.h"

#include <algorithm>
#include <cmath>
#include <glm/ext/quaternion_double.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/mat3x3.hpp>

namespace mote {
namespace {

using Axes4 = std::array<std::array<double, 4>, 4>;

/// Multivectors of four dimensions: the place of a product of basis vectors has a bit for each.
using Multivector = std::array<double, 16>;

/// The sign of the product of two basis elements: that of the swaps that order the vectors.
double product_sign(unsigned a, unsigned b) {
  int swaps = 0;
  for (unsigned above = a >> 1; above != 0; above >>= 1) swaps += __builtin_popcount(above & b);
  return swaps % 2 == 0 ? 1 : -1;
}

Multivector product(const Multivector& a, const Multivector& b) {
  Multivector result{};
  for (unsigned i = 0; i < 16; ++i) {
    if (a[i] == 0) continue;
    for (unsigned k = 0; k < 16; ++k) {
      if (b[k] != 0) result[i ^ k] += product_sign(i, k) * a[i] * b[k];
    }
  }
  return result;
}

/// The product in reversed order: elements of two and three vectors change their sign.
Multivector reversed(Multivector a) {
  for (unsigned i = 0; i < 16; ++i) {
    const int vectors = __builtin_popcount(i);
    if (vectors == 2 || vectors == 3) a[i] = -a[i];
  }
  return a;
}

constexpr unsigned kPseudoscalar = 15;

/// The rotor R (1 + d I) / length, for which R reversed(R) is 1. R reversed(R) = a + 2 e I, so that
/// d = (sqrt(a^2 - 4 e^2) - a) / (2 e), here without cancellation.
Multivector unit_rotor(const Multivector& rotor) {
  const Multivector square = product(rotor, reversed(rotor));
  const double a = square[0], e = square[kPseudoscalar] / 2;
  Multivector factor{};
  factor[0] = 1;
  factor[kPseudoscalar] = -2 * e / (std::sqrt(std::max(0.0, a * a - 4 * e * e)) + a);
  Multivector unit = product(rotor, factor);
  const double length = std::sqrt(product(unit, reversed(unit))[0]);
  for (double& value : unit) value /= length;
  return unit;
}

glm::dquat unit_quaternion(const std::array<double, 4>& q) {
  return glm::normalize(glm::dquat(q[0], q[1], q[2], q[3]));
}

/// The eigenvectors of a symmetric matrix, as columns, and its eigenvalues, by the rotations of
/// Jacobi.
struct Eigen3 {
  glm::dmat3 vectors{1};
  std::array<double, 3> values{};
};

Eigen3 eigen_of(glm::dmat3 m) {
  constexpr int kSweeps = 12, kPairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
  constexpr double kNone = 1e-17;
  Eigen3 result;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (const auto& [p, q] : kPairs) {
      if (std::abs(m[q][p]) <= kNone * (std::abs(m[p][p]) + std::abs(m[q][q]))) continue;
      const double ratio = (m[q][q] - m[p][p]) / (2 * m[q][p]);
      const double tangent =
          std::copysign(1.0, ratio) / (std::abs(ratio) + std::sqrt(ratio * ratio + 1));
      const double cosine = 1 / std::sqrt(tangent * tangent + 1), sine = tangent * cosine;
      glm::dmat3 turn(1);
      turn[p][p] = turn[q][q] = cosine;
      turn[q][p] = sine;
      turn[p][q] = -sine;
      m = glm::transpose(turn) * m * turn;
      m[q][p] = m[p][q] = 0;
      result.vectors = result.vectors * turn;
    }
  }
  for (int k = 0; k < 3; ++k) result.values[static_cast<std::size_t>(k)] = m[k][k];
  return result;
}

}  // namespace

Axes4 axes_of_biquaternion(const std::array<double, 4>& l, const std::array<double, 4>& r) {
  const glm::dquat left = unit_quaternion(l), right = glm::conjugate(unit_quaternion(r));
  // x, y, z, t as k, j, i, 1.
  const glm::dquat units[] = {{0, 0, 0, 1}, {0, 0, 1, 0}, {0, 1, 0, 0}, {1, 0, 0, 0}};
  Axes4 axes;
  for (std::size_t k = 0; k < 4; ++k) {
    const glm::dquat turned = left * units[k] * right;
    axes[k] = {turned.z, turned.y, turned.x, turned.w};
  }
  return axes;
}

Axes4 axes_of_rotor(const std::array<double, 8>& rotor) {
  // The bits of x, y, z, t are 1, 2, 4, 8.
  constexpr std::array<unsigned, 8> kPlaces{0, 3, 5, 6, 9, 10, 12, kPseudoscalar};
  Multivector given{};
  for (std::size_t k = 0; k < kPlaces.size(); ++k) given[kPlaces[k]] = rotor[k];
  const Multivector unit = unit_rotor(given), back = reversed(unit);
  Axes4 axes;
  for (std::size_t k = 0; k < 4; ++k) {
    Multivector vector{};
    vector[1u << k] = 1;
    const Multivector turned = product(product(unit, vector), back);
    for (std::size_t i = 0; i < 4; ++i) axes[k][i] = turned[1u << i];
  }
  return axes;
}

SlicedGaussian sliced(const Gaussian4d& gaussian) {
  double s[4][4] = {};
  for (std::size_t k = 0; k < 4; ++k) {
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < 4; ++j) {
        s[i][j] +=
            gaussian.scale[k] * gaussian.scale[k] * gaussian.axis[k][i] * gaussian.axis[k][j];
      }
    }
  }
  SlicedGaussian result;
  result.sigma = std::sqrt(s[3][3]);
  for (std::size_t i = 0; i < 3; ++i) result.velocity[i] = s[i][3] / s[3][3];
  glm::dmat3 at_time;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) at_time[i][j] = s[i][j] - s[i][3] * s[3][j] / s[3][3];
  }
  const Eigen3 eigen = eigen_of(at_time);
  glm::dmat3 turn = eigen.vectors;
  if (glm::determinant(turn) < 0) turn[2] = -turn[2];
  const glm::dquat rotation = glm::normalize(glm::quat_cast(turn));
  result.rotation = {rotation.w, rotation.x, rotation.y, rotation.z};
  for (std::size_t k = 0; k < 3; ++k) {
    result.scale[k] = std::sqrt(std::max(eigen.values[k], 0.0));
  }
  return result;
}

}  // namespace mote
