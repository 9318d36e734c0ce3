#pragma once

// Gaussians in space and time (4DGS, Yang et al. 2024; 4D-Rotor, Duan et al. 2024), as splats with
// the motion `life`. At a time t, such a Gaussian has the covariance S3 = Sxx - Sxt Stx / Stt, the
// centre mean + (t - time) Sxt / Stt and the weight e^(-(t - time)^2 / (2 Stt)), where S is its
// covariance of four dimensions. S3 is constant, so the conversion is exact.

#include <array>

namespace mote {

/// Standard deviations along the four axes of the Gaussian, and their directions: axis[k] is the
/// k-th, as x, y, z, t.
struct Gaussian4d {
  std::array<double, 4> scale{};
  std::array<std::array<double, 4>, 4> axis{};
};

/// The directions of the turn X -> l X conj(r), where the quaternion X = t + z i + y j + x k stands
/// for the vector. Quaternions w, x, y, z have any length but 0.
std::array<std::array<double, 4>, 4> axes_of_biquaternion(const std::array<double, 4>& l,
                                                          const std::array<double, 4>& r);

/// The directions of the turn by a rotor: its scalar, its parts of the planes xy, xz, yz, xt, yt,
/// zt, and its pseudoscalar. The nearest rotor of length 1 is taken.
std::array<std::array<double, 4>, 4> axes_of_rotor(const std::array<double, 8>& rotor);

/// The Gaussian at the middle of its life.
struct SlicedGaussian {
  std::array<double, 3> scale{}, velocity{};   // world; world per unit of time
  std::array<double, 4> rotation{1, 0, 0, 0};  // w, x, y, z, of length 1
  double sigma = 0;                            // of its life
};

/// Values that are not finite give values that are not finite.
SlicedGaussian sliced(const Gaussian4d& gaussian);

}  // namespace mote
