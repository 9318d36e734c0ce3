#include "cameras/lens_rays.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <numbers>

#include "core/error.h"

namespace mote {
namespace {

/// Lower bound on the area of the image per solid angle, as a fraction of the middle's.
constexpr double kLeastRayDensity = 0.02;
constexpr double kLeastSeen = 0.1;
constexpr double kSteepest_rad = 75.0 / 180 * std::numbers::pi;
/// Directions between the nodes of the table may exceed those of the nodes by this factor.
constexpr double kMargin = 1.02;

/// Panoramas end here. A point on the border may lie beyond it by rounding.
bool on_sphere(const Lens& lens, glm::dvec2 plane) {
  constexpr double kPi = std::numbers::pi * (1 + 1e-12);
  const double top = lens.kind == LensKind::equal_area ? 1 : 0.5 * kPi;
  return std::abs(plane.x) <= kPi && std::abs(plane.y) <= top;
}

glm::dvec2 point_of_panorama(const Lens& lens, glm::dvec2 plane) {
  return lens.kind == LensKind::equal_area ? glm::dvec2(plane.x, std::asin(plane.y)) : plane;
}

}  // namespace

LensRays::LensRays(const Camera& camera, const Lens& lens, const std::string& where)
    : lens_(lens),
      chart_(chart_of(lens.kind)),
      least_(-camera.center_px / camera.focal_px),
      cell_(glm::dvec2(camera.width, camera.height) / camera.focal_px / double{kCells}) {
  if (chart_ == LensChart::sphere) {
    widest_rad_ = std::numbers::pi;
    return;
  }
  const auto unusable = [&](const std::string& problem) -> Error {
    return {fmt::format("the lens distortion ({}) {}", parameters_text(lens), problem), where,
            "correct these parameters, or calibrate the camera again with a model that has fewer "
            "of them"};
  };
  const glm::dvec2 middle_plane = least_ + 0.5 * double{kCells} * cell_;
  const auto slope = undistort(lens, middle_plane);
  if (!slope) throw unusable("folds over in the middle of the image");
  const glm::dvec2 middle = chart_point(chart_, {*slope, 1});
  least_density_ = kLeastRayDensity * glm::determinant(chart_map(lens, middle).jacobian) /
                   solid_angle_per_area(chart_, middle);
  find_nodes(middle, middle_plane);
  measure(middle);
  if (seen_share_ < kLeastSeen) {
    throw unusable(fmt::format("has an inverse in only {:.0f} % of the image", 100 * seen_share_));
  }
}

glm::dvec2 LensRays::plane_of_node(int x, int y) const {
  return least_ + glm::dvec2(x, y) * cell_;
}

/// Whether the lens does not fold there. False for points that are not finite.
bool LensRays::is_regular(glm::dvec2 point) const {
  constexpr double kWidest = 0.999 * std::numbers::pi;
  if (chart_ == LensChart::angles && !(glm::length(point) < kWidest)) return false;
  const double area = glm::determinant(chart_map(lens_, point).jacobian);
  return area > least_density_ * solid_angle_per_area(chart_, point);
}

/// Whether the lens does not fold between two points. Beyond a fold are directions that another
/// point of the image already shows.
bool LensRays::are_joined(glm::dvec2 from, glm::dvec2 to) const {
  constexpr int kParts = 8;
  for (int i = 1; i < kParts; ++i) {
    if (!is_regular(glm::mix(from, to, static_cast<double>(i) / kParts))) return false;
  }
  return true;
}

/// Newton's method. Errors are squared in each step, so the last one is far below its bound.
std::optional<glm::dvec2> LensRays::solve(glm::dvec2 plane, glm::dvec2 start) const {
  constexpr int kIterations = 20;
  constexpr double kLastMove = 1e-7;
  glm::dvec2 point = start;
  for (int i = 0; i < kIterations; ++i) {
    const ChartMap map = chart_map(lens_, point);
    const double area = glm::determinant(map.jacobian);
    if (!(area > 0)) return {};
    const glm::dvec2 move = glm::inverse(map.jacobian) * (plane - map.plane);
    point += move;
    if (glm::length(move) > kLastMove * (1 + glm::length(point))) continue;
    const bool folds = !(area > least_density_ * solid_angle_per_area(chart_, point));
    if (folds || (chart_ == LensChart::angles && !(glm::length(point) < std::numbers::pi))) {
      return {};
    }
    return point;
  }
  return {};
}

/// Spreads from the middle to the nodes around, and on from those, as far as the lens does not
/// fold.
void LensRays::find_nodes(glm::dvec2 middle, glm::dvec2 middle_plane) {
  nodes_.assign(std::size_t{kNodes} * kNodes, {});
  struct Step {
    int x, y;
    glm::dvec2 from;
  };
  std::vector<Step> steps;
  if (solve(middle_plane, middle)) steps.push_back({kCells / 2, kCells / 2, middle});
  for (std::size_t next = 0; next < steps.size(); ++next) {
    const Step step = steps[next];
    const bool outside = step.x < 0 || step.y < 0 || step.x >= kNodes || step.y >= kNodes;
    if (outside || node(step.x, step.y).seen) continue;
    const auto point = solve(plane_of_node(step.x, step.y), step.from);
    if (!point) continue;
    if (!are_joined(step.from, *point)) continue;
    node(step.x, step.y) = {*point, true};
    for (const auto& [x, y] : {std::pair{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
      steps.push_back({step.x + x, step.y + y, *point});
    }
  }
}

/// Finds the bounds of the directions and the share of the image that has some.
void LensRays::measure(glm::dvec2 middle) {
  constexpr int kSamples = 4;  // of a cell, along a side
  int seen = 0;
  for (int y = 0; y < kSamples * kCells; ++y) {
    for (int x = 0; x < kSamples * kCells; ++x) {
      seen += sees(least_ + (glm::dvec2(x, y) + 0.5) / double{kSamples} * cell_) ? 1 : 0;
    }
  }
  seen_share_ = seen / static_cast<double>(kSamples * kSamples * kCells * kCells);
  Slopes slopes{glm::dvec2(1e9), glm::dvec2(-1e9)};
  for (const Node& node : nodes_) {
    if (!node.seen) continue;
    const glm::dvec3 direction = chart_direction(chart_, node.point);
    widest_rad_ = std::max(widest_rad_, std::acos(std::clamp(direction.z, -1.0, 1.0)));
    if (direction.z <= 0) continue;
    slopes.least = glm::min(slopes.least, glm::dvec2(direction) / direction.z);
    slopes.most = glm::max(slopes.most, glm::dvec2(direction) / direction.z);
  }
  // Points of the image beyond the last node that has a direction.
  const glm::dvec2 beyond = 2.0 * glm::abs(glm::inverse(chart_map(lens_, middle).jacobian) * cell_);
  const double reach = seen_share_ < 1 ? std::max(beyond.x, beyond.y) : 0;
  widest_rad_ = std::min(kMargin * widest_rad_ + reach, std::numbers::pi);
  if (widest_rad_ > kSteepest_rad) return;
  const double margin = kMargin - 1 + reach / std::pow(std::cos(widest_rad_), 2);
  const glm::dvec2 more = margin * glm::max(glm::abs(slopes.least), glm::abs(slopes.most));
  slopes_ = Slopes{slopes.least - more, slopes.most + more};
}

LensRays::Corners LensRays::corners_at(glm::dvec2 plane) const {
  const glm::dvec2 at = (plane - least_) / cell_;
  const int x = static_cast<int>(std::clamp(at.x, 0.0, kCells - 1.0));
  const int y = static_cast<int>(std::clamp(at.y, 0.0, kCells - 1.0));
  const Node* first = nodes_.data() + y * kNodes + x;
  Corners corners{{first, first + 1, first + kNodes, first + kNodes + 1}, at - glm::dvec2(x, y)};
  for (const Node* node : corners.nodes) corners.seen += node->seen ? 1 : 0;
  return corners;
}

std::optional<glm::dvec2> LensRays::chart_point_in(const Corners& corners, glm::dvec2 plane) const {
  if (corners.seen == 0) return {};
  const auto& [a, b, c, d] = corners.nodes;
  if (corners.seen == 4) {
    const glm::dvec2 share = corners.share;
    return solve(plane, glm::mix(glm::mix(a->point, b->point, share.x),
                                 glm::mix(c->point, d->point, share.x), share.y));
  }
  glm::dvec2 start(0);
  for (const Node* node : corners.nodes) start += node->seen ? node->point : glm::dvec2(0);
  start /= corners.seen;
  const auto point = solve(plane, start);
  if (point && !are_joined(start, *point)) return {};
  return point;
}

std::optional<glm::dvec2> LensRays::chart_point_at(glm::dvec2 plane) const {
  if (chart_ != LensChart::sphere) return chart_point_in(corners_at(plane), plane);
  if (!on_sphere(lens_, plane)) return {};
  return point_of_panorama(lens_, plane);
}

std::optional<glm::dvec3> LensRays::direction(glm::dvec2 plane) const {
  const auto point = chart_point_at(plane);
  if (!point) return {};
  return chart_direction(chart_, *point);
}

bool LensRays::sees(glm::dvec2 plane) const {
  if (chart_ == LensChart::sphere) return on_sphere(lens_, plane);
  const Corners corners = corners_at(plane);
  return corners.seen == 4 || chart_point_in(corners, plane).has_value();
}

}  // namespace mote
