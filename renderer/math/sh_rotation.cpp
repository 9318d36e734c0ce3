#include "math/sh_rotation.h"

#include <cmath>
#include <numbers>

#include "core/error.h"
#include "math/spherical_harmonics.h"

namespace mote {
namespace {

constexpr int kBasisSize = (ShRotation::kMaxDegree + 1) * (ShRotation::kMaxDegree + 1);
using Basis = std::array<double, kBasisSize>;

Basis basis_at(const glm::dvec3& d) {
  Basis basis;
  sh_basis<ShRotation::kMaxDegree>(Vec3<double>{d.x, d.y, d.z}, basis.data());
  return basis;
}

}  // namespace

// With c'(d) = c(R^T d), the new coefficient i of a band is the integral over the sphere of Y_i(d)
// * sum of c_j Y_j(R^T d). The integrand is a polynomial of degree at most 8. Five Gauss-Legendre
// nodes in z and equal steps around the axis integrate it exactly.
ShRotation::ShRotation(const glm::dmat3& rotation, int degree) : degree_(degree) {
  CHECK(degree >= 0 && degree <= kMaxDegree);
  constexpr int kNodes = 5, kSteps = 12;
  // Nodes and weights: Abramowitz and Stegun, table 25.4, n = 5.
  constexpr double kNodeZ[kNodes] = {-0.906179845938663992797627, -0.538469310105683091036314, 0,
                                     0.538469310105683091036314, 0.906179845938663992797627};
  constexpr double kWeights[kNodes] = {0.236926885056189087514264, 0.478628670499366468041292,
                                       0.568888888888888888888889, 0.478628670499366468041292,
                                       0.236926885056189087514264};
  std::array<std::array<double, kBasisSize>, kBasisSize> sums{};
  for (int node = 0; node < kNodes; ++node) {
    const double radius = std::sqrt(1 - kNodeZ[node] * kNodeZ[node]);
    const double weight = kWeights[node] * 2 * std::numbers::pi / kSteps;
    for (int step = 0; step < kSteps; ++step) {
      const double angle = 2 * std::numbers::pi * step / kSteps;
      const glm::dvec3 d(radius * std::cos(angle), radius * std::sin(angle), kNodeZ[node]);
      const Basis after = basis_at(d), before = basis_at(d * rotation);  // d * R is R^T d
      for (std::size_t i = 0; i < kBasisSize; ++i) {
        for (std::size_t j = 0; j < kBasisSize; ++j) sums[i][j] += weight * after[i] * before[j];
      }
    }
  }
  for (std::size_t l = 0; l <= kMaxDegree; ++l) {
    for (std::size_t i = 0; i < 2 * l + 1; ++i) {
      for (std::size_t j = 0; j < 2 * l + 1; ++j) {
        bands_[l][i][j] = static_cast<float>(sums[l * l + i][l * l + j]);
      }
    }
  }
}

void ShRotation::apply(float* coefficients, std::size_t stride, std::size_t lanes) const {
  constexpr std::size_t kMaxLanes = 16;
  CHECK(lanes <= kMaxLanes);
  for (std::size_t l = 1; l <= static_cast<std::size_t>(degree_); ++l) {
    const std::size_t size = 2 * l + 1;
    float* band = coefficients + l * l * stride;
    float rotated[kMaxBand][kMaxLanes] = {};
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
          rotated[i][lane] += bands_[l][i][j] * band[j * stride + lane];
        }
      }
    }
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t lane = 0; lane < lanes; ++lane) band[i * stride + lane] = rotated[i][lane];
    }
  }
}

}  // namespace mote
