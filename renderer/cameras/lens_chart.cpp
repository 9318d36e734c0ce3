#include "cameras/lens_chart.h"

#include <cmath>
#include <glm/geometric.hpp>

namespace mote {
namespace {

using Parameters = std::array<double, 12>;

/// A value and its derivatives by the two coordinates of a point.
struct Dual {
  double value = 0, by_x = 0, by_y = 0;
};

Dual operator+(Dual a, Dual b) {
  return {a.value + b.value, a.by_x + b.by_x, a.by_y + b.by_y};
}
Dual operator+(double a, Dual b) {
  return {a + b.value, b.by_x, b.by_y};
}
Dual operator*(double a, Dual b) {
  return {a * b.value, a * b.by_x, a * b.by_y};
}
Dual operator*(Dual a, Dual b) {
  return {a.value * b.value, a.by_x * b.value + a.value * b.by_x,
          a.by_y * b.value + a.value * b.by_y};
}
/// A function of `a` with this value and derivative.
Dual chained(Dual a, double value, double slope) {
  return {value, slope * a.by_x, slope * a.by_y};
}
Dual operator/(Dual a, Dual b) {
  const double inverse = 1 / b.value, quotient = a.value * inverse;
  return {quotient, (a.by_x - quotient * b.by_x) * inverse, (a.by_y - quotient * b.by_y) * inverse};
}
Dual operator/(double a, Dual b) {
  const double inverse = 1 / b.value;
  return chained(b, a * inverse, -a * inverse * inverse);
}
Dual sqrt(Dual a) {
  const double root = std::sqrt(a.value);
  return chained(a, root, 0.5 / root);
}
Dual atan(Dual a) {
  return chained(a, std::atan(a.value), 1 / (1 + a.value * a.value));
}
Dual sin(Dual a) {
  return chained(a, std::sin(a.value), std::cos(a.value));
}
double value_of(Dual a) {
  return a.value;
}
double value_of(double a) {
  return a;
}
void make_nan(Dual& a) {
  a.value = std::nan("");
}
void make_nan(double& a) {
  a = std::nan("");
}

using std::atan;
using std::sin;
using std::sqrt;

/// A point of numbers, or of numbers with their derivatives.
template <class T>
struct Point {
  T x, y;
};
template <class T>
Point<T> operator+(Point<T> a, Point<T> b) {
  return {a.x + b.x, a.y + b.y};
}
template <class T>
Point<T> operator*(Point<T> p, T factor) {
  return {p.x * factor, p.y * factor};
}
template <class T>
T squared_length(Point<T> p) {
  return p.x * p.x + p.y * p.y;
}
template <class T>
Point<T> nowhere() {
  Point<T> point{};
  make_nan(point.x);
  make_nan(point.y);
  return point;
}

/// atan(r) / r of the square of r.
template <class T>
T atan_over(T r2) {
  if (value_of(r2) < 1e-10) return 1.0 + -1.0 / 3 * r2;
  const T r = sqrt(r2);
  return atan(r) / r;
}

/// sin(r) / r.
double sin_over(double r) {
  return r < 1e-5 ? 1 - r * r / 6 : std::sin(r) / r;
}

/// The offset of a decentred lens, with OpenCV's p1 and p2.
template <class T>
Point<T> tangential(Point<T> p, double p1, double p2) {
  const T r2 = squared_length(p), xy = p.x * p.y;
  return {2 * p1 * xy + p2 * (r2 + 2.0 * (p.x * p.x)), 2 * p2 * xy + p1 * (r2 + 2.0 * (p.y * p.y))};
}

template <class T>
Point<T> distort_brown(const Parameters& k, Point<T> p) {
  const T r2 = squared_length(p);
  const T above = 1.0 + r2 * (k[0] + r2 * (k[1] + r2 * (k[4] + k[8] * r2)));
  const T below = 1.0 + r2 * (k[5] + r2 * (k[6] + k[7] * r2));
  // The lens sees nothing at a pole of the rational model and beyond it.
  if (!(value_of(below) > 0)) return nowhere<T>();
  return p * (above / below) + tangential(p, k[2], k[3]);
}

template <class T>
Point<T> distort_fov(double omega, Point<T> p) {
  if (omega == 0) return p;
  const double scale = 2 * std::tan(0.5 * omega);
  return p * (scale / omega * atan_over(scale * scale * squared_length(p)));
}

template <class T>
Point<T> distort_fisheye(const Parameters& k, Point<T> angle) {
  const T t2 = squared_length(angle);
  const T radial = 1.0 + t2 * (k[0] + t2 * (k[1] + t2 * (k[4] + k[5] * t2)));
  return angle * radial + tangential(angle, k[2], k[3]) + Point<T>{k[6] * t2, k[7] * t2};
}

template <class T>
Point<T> distort_fisheye_624(const Parameters& k, Point<T> angle) {
  const T t2 = squared_length(angle);
  T radial = k[5] * t2;
  for (std::size_t i = 5; i-- > 0;) radial = t2 * (k[i] + radial);
  const Point<T> ray = angle * (1.0 + radial);
  const T r2 = squared_length(ray);
  // p0 belongs to x and p1 to y, in reverse of OpenCV's order.
  return ray + tangential(ray, k[7], k[6]) +
         Point<T>{r2 * (k[8] + k[9] * r2), r2 * (k[10] + k[11] * r2)};
}

/// The smaller root of the model's r_u (1 + k r_d^2) = r_d.
template <class T>
Point<T> distort_division(double k, Point<T> p) {
  return p * (2.0 / (1.0 + sqrt(1.0 + -4 * k * squared_length(p))));
}

template <class T>
Point<T> distort_eucm(double alpha, double beta, Point<T> p) {
  const T below = 1 - alpha + alpha * sqrt(1.0 + beta * squared_length(p));
  return value_of(below) > 0 ? p * (1.0 / below) : nowhere<T>();
}

template <class T>
Point<T> plane_point(const Lens& lens, Point<T> point) {
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
      return {point.x, sin(point.y)};
  }
  return point;
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
    case LensChart::slopes: {
      const double length2 = 1 + glm::dot(point, point);
      return 1 / (length2 * std::sqrt(length2));
    }
    case LensChart::angles:
      return sin_over(glm::length(point));
    case LensChart::sphere:
      return std::cos(point.y);
  }
  return 1;
}

glm::dvec2 chart_to_plane(const Lens& lens, glm::dvec2 point) {
  const auto plane = plane_point(lens, Point<double>{point.x, point.y});
  return {plane.x, plane.y};
}

ChartMap chart_map(const Lens& lens, glm::dvec2 point) {
  const auto plane = plane_point(lens, Point<Dual>{{point.x, 1, 0}, {point.y, 0, 1}});
  return {{plane.x.value, plane.y.value}, {plane.x.by_x, plane.y.by_x, plane.x.by_y, plane.y.by_y}};
}

glm::dvec2 project(const Lens& lens, glm::dvec3 direction) {
  return chart_to_plane(lens, chart_point(chart_of(lens.kind), direction));
}

}  // namespace mote
