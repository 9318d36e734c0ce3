#include "cameras/lens.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>

#include "cameras/lens_chart.h"

namespace mote {
namespace {

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
  static constexpr Names kNone{};
  static constexpr std::array<const Names*, 9> kNames{
      &kBrown, &kBrown, &kFov, &kFisheye, &kFisheye624, &kDivision, &kEucm, &kNone, &kNone};
  const Names& names = *kNames[static_cast<std::size_t>(lens.kind)];
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (lens.parameters[i] == 0 || names[i] == nullptr) continue;
    text += fmt::format("{}{} = {:.6g}", text.empty() ? "" : ", ", names[i], lens.parameters[i]);
  }
  return text;
}

bool is_identity(const Lens& lens) {
  const auto& k = lens.parameters;
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
    case LensKind::equirectangular:
    case LensKind::equal_area:
      return false;
  }
  return false;
}

bool is_panorama(const Lens& lens) {
  return chart_of(lens.kind) == LensChart::sphere;
}

glm::dvec2 distort(const Lens& lens, glm::dvec2 uv) {
  return project(lens, {uv, 1});
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
