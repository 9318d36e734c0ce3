#pragma once

#include <array>
#include <cstddef>
#include <glm/mat3x3.hpp>

namespace mote {

/// Rotation of functions given by real spherical harmonics (math/spherical_harmonics.h). The
/// rotated function has at R d the value that the original has at d. Bands do not mix, so there is
/// one matrix per band.
class ShRotation {
 public:
  static constexpr int kMaxDegree = 4;

  /// `rotation` is orthonormal with determinant 1; `degree` at most kMaxDegree.
  ShRotation(const glm::dmat3& rotation, int degree);

  /// Rotates `lanes` functions at once. Coefficient k of lane i is coefficients[k * stride + i].
  void apply(float* coefficients, std::size_t stride, std::size_t lanes) const;

 private:
  static constexpr int kMaxBand = 2 * kMaxDegree + 1;

  int degree_;
  std::array<std::array<std::array<float, kMaxBand>, kMaxBand>, kMaxDegree + 1> bands_{};
};

}  // namespace mote
