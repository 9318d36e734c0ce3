#include "cameras/lens_chart.h"

#include <cmath>
#include <glm/geometric.hpp>

namespace mote {
namespace {

using Parameters = std::array<double, 12>;

/// atan(r) / r.
double atan_over(double r) {
  return r < 1e-5 ? 1 - r * r / 3 : std::atan(r) / r;
}

/// sin(r) / r.
double sin_over(double r) {
  return r < 1e-5 ? 1 - r * r / 6 : std::sin(r) / r;
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

glm::dvec2 distort_fisheye(const Parameters& k, glm::dvec2 angle) {
  const double t2 = glm::dot(angle, angle);
  const double radial = 1 + t2 * (k[0] + t2 * (k[1] + t2 * (k[4] + t2 * k[5])));
  return angle * radial + tangential(angle, k[2], k[3]) + t2 * glm::dvec2(k[6], k[7]);
}

glm::dvec2 distort_fisheye_624(const Parameters& k, glm::dvec2 angle) {
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

}  // namespace

LensChart chart_of(LensKind kind) {
  switch (kind) {
    case LensKind::fisheye:
    case LensKind::fisheye_624:
      return LensChart::angles;
    case LensKind::equirectangular:
    case LensKind::equal_area:
      return LensChart::sphere;
    default:
      return LensChart::slopes;
  }
}

glm::dvec2 chart_point(LensChart chart, glm::dvec3 direction) {
  const glm::dvec2 across(direction);
  switch (chart) {
    case LensChart::slopes:
      return direction.z > 0 ? across / direction.z : glm::dvec2(std::nan(""));
    case LensChart::angles: {
      const double side = glm::length(across);
      return side > 0 ? across * (std::atan2(side, direction.z) / side) : glm::dvec2(0);
    }
    case LensChart::sphere:
      return {std::atan2(direction.x, direction.z),
              std::atan2(direction.y, std::hypot(direction.x, direction.z))};
  }
  return across;
}

glm::dvec3 chart_direction(LensChart chart, glm::dvec2 point) {
  switch (chart) {
    case LensChart::slopes:
      return glm::normalize(glm::dvec3(point, 1));
    case LensChart::angles: {
      const double angle = glm::length(point);
      return {point * sin_over(angle), std::cos(angle)};
    }
    case LensChart::sphere:
      return {std::sin(point.x) * std::cos(point.y), std::sin(point.y),
              std::cos(point.x) * std::cos(point.y)};
  }
  return {0, 0, 1};
}

double solid_angle_per_area(LensChart chart, glm::dvec2 point) {
  switch (chart) {
    case LensChart::slopes:
      return std::pow(1 + glm::dot(point, point), -1.5);
    case LensChart::angles:
      return sin_over(glm::length(point));
    case LensChart::sphere:
      return std::cos(point.y);
  }
  return 1;
}

glm::dvec2 chart_to_plane(const Lens& lens, glm::dvec2 point) {
  const Parameters& k = lens.parameters;
  switch (lens.kind) {
    case LensKind::pinhole:
      return point;
    case LensKind::brown:
      return distort_brown(k, point);
    case LensKind::fov:
      return distort_fov(k[0], point);
    case LensKind::fisheye:
      return distort_fisheye(k, point);
    case LensKind::fisheye_624:
      return distort_fisheye_624(k, point);
    case LensKind::division:
      return distort_division(k[0], point);
    case LensKind::eucm:
      return distort_eucm(k[0], k[1], point);
    case LensKind::equirectangular:
      return point;
    case LensKind::equal_area:
      return {point.x, std::sin(point.y)};
  }
  return point;
}

glm::dmat2 chart_jacobian(const Lens& lens, glm::dvec2 point) {
  const double h = 1e-6 * (1 + glm::length(point));
  const auto slope = [&](glm::dvec2 axis) {
    return (chart_to_plane(lens, point + h * axis) - chart_to_plane(lens, point - h * axis)) /
           (2 * h);
  };
  return {slope({1, 0}), slope({0, 1})};
}

glm::dvec2 project(const Lens& lens, glm::dvec3 direction) {
  return chart_to_plane(lens, chart_point(chart_of(lens.kind), direction));
}

}  // namespace mote
