#include "cameras/lens.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>

namespace mote {
namespace {

using Parameters = std::array<double, 12>;

/// atan(r) / r.
double atan_over(double r) {
  return r < 1e-5 ? 1 - r * r / 3 : std::atan(r) / r;
}

/// The offset of a decentred lens, with OpenCV's p1 and p2.
glm::dvec2 tangential(glm::dvec2 p, double p1, double p2) {
  const double r2 = glm::dot(p, p), xy = p.x * p.y;
  return {2 * p1 * xy + p2 * (r2 + 2 * p.x * p.x), 2 * p2 * xy + p1 * (r2 + 2 * p.y * p.y)};
}

glm::dvec2 distort_brown(const Parameters& k, glm::dvec2 p) {
  const double r2 = glm::dot(p, p);
  const double above = 1 + r2 * (k[0] + r2 * (k[1] + r2 * (k[4] + r2 * k[8])));
  const double below = 1 + r2 * (k[5] + r2 * (k[6] + r2 * k[7]));
  // The lens sees nothing at a pole of the rational model and beyond it.
  if (!(below > 0)) return glm::dvec2(std::nan(""));
  return p * (above / below) + tangential(p, k[2], k[3]);
}

glm::dvec2 distort_fov(double omega, glm::dvec2 p) {
  if (omega == 0) return p;
  const double scale = 2 * std::tan(0.5 * omega);
  return p * (scale / omega * atan_over(scale * glm::length(p)));
}

glm::dvec2 distort_fisheye(const Parameters& k, glm::dvec2 p) {
  const glm::dvec2 angle = p * atan_over(glm::length(p));
  const double t2 = glm::dot(angle, angle);
  const double radial = 1 + t2 * (k[0] + t2 * (k[1] + t2 * (k[4] + t2 * k[5])));
  return angle * radial + tangential(angle, k[2], k[3]) + t2 * glm::dvec2(k[6], k[7]);
}

glm::dvec2 distort_fisheye_624(const Parameters& k, glm::dvec2 p) {
  const glm::dvec2 angle = p * atan_over(glm::length(p));
  const double t2 = glm::dot(angle, angle);
  double radial = 0;
  for (std::size_t i = 6; i-- > 0;) radial = t2 * (k[i] + radial);
  const glm::dvec2 ray = angle * (1 + radial);
  const double r2 = glm::dot(ray, ray);
  // p0 belongs to x and p1 to y, in reverse of OpenCV's order.
  return ray + tangential(ray, k[7], k[6]) + r2 * glm::dvec2(k[8] + r2 * k[9], k[10] + r2 * k[11]);
}

/// The smaller root of the model's r_u (1 + k r_d^2) = r_d.
glm::dvec2 distort_division(double k, glm::dvec2 p) {
  return p * (2 / (1 + std::sqrt(1 - 4 * k * glm::dot(p, p))));
}

glm::dvec2 distort_eucm(double alpha, double beta, glm::dvec2 p) {
  const double below = alpha * std::sqrt(beta * glm::dot(p, p) + 1) + 1 - alpha;
  return below > 0 ? p / below : glm::dvec2(std::nan(""));
}

/// Newton's method towards the direction that maps to `wanted`, until the steps no longer move it.
/// Returns false where the lens folds on the way.
bool approach(const Lens& lens, glm::dvec2 wanted, int iterations, glm::dvec2& uv) {
  for (int i = 0; i < iterations; ++i) {
    const glm::dvec2 off = wanted - distort(lens, uv);
    const glm::dmat2 jacobian = distortion_jacobian(lens, uv);
    if (!(glm::determinant(jacobian) > 1e-9)) return false;
    const glm::dvec2 move = glm::inverse(jacobian) * off;
    uv += move;
    if (!(glm::length(move) > 1e-14 * (1 + glm::length(uv)))) break;
  }
  return true;
}

bool lands_on(const Lens& lens, glm::dvec2 uv, glm::dvec2 distorted) {
  return glm::length(distort(lens, uv) - distorted) < 1e-9 * (1 + glm::length(distorted));
}

}  // namespace

std::string parameters_text(const Lens& lens) {
  using Names = std::array<const char*, 12>;
  static constexpr Names kBrown{"k1", "k2", "p1", "p2", "k3", "k4", "k5", "k6", "k4"};
  static constexpr Names kFisheye{"k1", "k2", "p1", "p2", "k3", "k4", "sx1", "sy1"};
  static constexpr Names kFisheye624{"k0", "k1", "k2", "k3", "k4", "k5",
                                     "p0", "p1", "s0", "s1", "s2", "s3"};
  static constexpr Names kFov{"omega"}, kDivision{"k"}, kEucm{"alpha", "beta"};
  static constexpr std::array<const Names*, 7> kNames{&kBrown,      &kBrown,    &kFov, &kFisheye,
                                                      &kFisheye624, &kDivision, &kEucm};
  const Names& names = *kNames[static_cast<std::size_t>(lens.kind)];
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (lens.parameters[i] == 0 || names[i] == nullptr) continue;
    text += fmt::format("{}{} = {:.6g}", text.empty() ? "" : ", ", names[i], lens.parameters[i]);
  }
  return text;
}

bool is_identity(const Lens& lens) {
  const Parameters& k = lens.parameters;
  switch (lens.kind) {
    case LensKind::pinhole:
      return true;
    case LensKind::brown:
      return std::all_of(k.begin(), k.end(), [](double value) { return value == 0; });
    case LensKind::fov:
    case LensKind::division:
    case LensKind::eucm:
      return k[0] == 0;
    case LensKind::fisheye:
    case LensKind::fisheye_624:
      return false;
  }
  return false;
}

glm::dvec2 distort(const Lens& lens, glm::dvec2 uv) {
  const Parameters& k = lens.parameters;
  switch (lens.kind) {
    case LensKind::pinhole:
      return uv;
    case LensKind::brown:
      return distort_brown(k, uv);
    case LensKind::fov:
      return distort_fov(k[0], uv);
    case LensKind::fisheye:
      return distort_fisheye(k, uv);
    case LensKind::fisheye_624:
      return distort_fisheye_624(k, uv);
    case LensKind::division:
      return distort_division(k[0], uv);
    case LensKind::eucm:
      return distort_eucm(k[0], k[1], uv);
  }
  return uv;
}

glm::dmat2 distortion_jacobian(const Lens& lens, glm::dvec2 uv) {
  const double h = 1e-6 * (1 + glm::length(uv));
  const auto slope = [&](glm::dvec2 axis) {
    return (distort(lens, uv + h * axis) - distort(lens, uv - h * axis)) / (2 * h);
  };
  return {slope({1, 0}), slope({0, 1})};
}

std::optional<glm::dvec2> undistort(const Lens& lens, glm::dvec2 distorted) {
  constexpr int kSteps = 16, kStepIterations = 2;
  glm::dvec2 uv(0);
  for (int step = 1; step < kSteps; ++step) {
    // Intermediate steps only need to stay close.
    const glm::dvec2 wanted = distorted * (static_cast<double>(step) / kSteps);
    if (!approach(lens, wanted, kStepIterations, uv)) return {};
  }
  return undistort_from(lens, distorted, uv);
}

std::optional<glm::dvec2> undistort_from(const Lens& lens, glm::dvec2 distorted, glm::dvec2 start) {
  constexpr int kIterations = 20;
  glm::dvec2 uv = start;
  if (!approach(lens, distorted, kIterations, uv) || !lands_on(lens, uv, distorted)) return {};
  return uv;
}

}  // namespace mote
