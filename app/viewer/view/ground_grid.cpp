#include "app/viewer/view/ground_grid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>

namespace mote {
namespace {

constexpr int kPieces = 12;  // of a line; each has one opacity
/// Reach of the lines from the focus, in distances of the focus: of the finer ones when they are
/// about to vanish, and of the coarse ones.
constexpr double kFineReach = 2, kCoarseReach = 8;
/// At this many spacings to the focus the finer lines are gone, and the coarse ones take their
/// place.
constexpr double kMostSpacings = 30;

/// Two directions of the plane: those of the world's axes that lie nearest to it.
std::array<glm::dvec3, 2> plane_axes(const glm::dvec3& up) {
  int highest = 0;
  for (int i = 1; i < 3; ++i) {
    if (std::abs(up[i]) > std::abs(up[highest])) highest = i;
  }
  glm::dvec3 first(0);
  first[(highest + 1) % 3] = 1;
  first = glm::normalize(first - glm::dot(first, up) * up);
  return {first, glm::cross(up, first)};
}

/// The axis of the world along the direction; -1: none.
int axis_along(const glm::dvec3& way) {
  constexpr double kAlong = 1 - 1e-9;
  for (int i = 0; i < 3; ++i) {
    if (std::abs(way[i]) > kAlong) return i;
  }
  return -1;
}

struct Bundle {
  glm::dvec3 along, across;  // unit vectors
  glm::dvec3 middle;         // of the grid, on the plane
  double reach, opacity;
};

/// Adds one line at a place across the bundle, in pieces that fade towards the reach.
void add_line(const Bundle& bundle, double across, int axis, std::vector<GridLine>& lines) {
  const double offset = across - glm::dot(bundle.middle, bundle.across);
  if (std::abs(offset) >= bundle.reach) return;
  const double half = std::sqrt(bundle.reach * bundle.reach - offset * offset);
  const glm::dvec3 foot = bundle.middle + offset * bundle.across;
  for (int i = 0; i < kPieces; ++i) {
    const double from = half * (2.0 * i / kPieces - 1), to = half * (2.0 * (i + 1) / kPieces - 1);
    const double middle = 0.5 * (from + to);
    const double away = std::sqrt(middle * middle + offset * offset) / bundle.reach;
    const double opacity = bundle.opacity * (1 - away) * (1 - away);
    if (opacity < 0.01) continue;
    lines.push_back({foot + from * bundle.along, foot + to * bundle.along, opacity, axis});
  }
}

/// `skips`: lines at multiples of this number of spacings are left out; 0: none.
void add_lines(const Bundle& bundle, double spacing, int skips, std::vector<GridLine>& lines) {
  const double middle = glm::dot(bundle.middle, bundle.across);
  const auto last = static_cast<long>(std::floor((middle + bundle.reach) / spacing));
  for (auto i = static_cast<long>(std::ceil((middle - bundle.reach) / spacing)); i <= last; ++i) {
    if (i == 0 || (skips > 0 && i % skips == 0)) continue;
    add_line(bundle, static_cast<double>(i) * spacing, -1, lines);
  }
}

}  // namespace

double grid_spacing(double distance) {
  return std::pow(10.0, std::floor(std::log10(10 * distance / kMostSpacings)));
}

std::vector<GridLine> grid_lines(const glm::dvec3& focus, const glm::dvec3& up, double distance) {
  constexpr double kPlain = 0.55, kAxis = 1.6;
  std::vector<GridLine> lines;
  if (!(distance > 0) || !std::isfinite(distance + focus.x + focus.y + focus.z)) return lines;
  const glm::dvec3 normal = glm::normalize(up);
  const glm::dvec3 middle = focus - glm::dot(focus, normal) * normal;
  const double spacing = grid_spacing(distance);
  // 1 where the finer lines are widest apart, 0 where they are closest.
  const double fine = std::clamp(1 - std::log10(distance / spacing * 10 / kMostSpacings), 0.0, 1.0);
  const auto axes = plane_axes(normal);
  for (int i = 0; i < 2; ++i) {
    Bundle bundle{axes[static_cast<std::size_t>(i)], axes[static_cast<std::size_t>(1 - i)], middle,
                  (kFineReach + (kCoarseReach - kFineReach) * fine) * distance, kPlain * fine};
    add_lines(bundle, spacing, 10, lines);
    bundle.reach = kCoarseReach * distance;
    bundle.opacity = kPlain;
    add_lines(bundle, 10 * spacing, 0, lines);
    bundle.opacity = kAxis;
    add_line(bundle, 0, axis_along(bundle.along), lines);
  }
  if (glm::length(middle) < kCoarseReach * distance) {
    const Bundle upright{normal, axes[0], focus - middle, kCoarseReach * distance, kAxis};
    add_line(upright, 0, axis_along(normal), lines);
  }
  for (GridLine& line : lines) line.opacity = std::min(line.opacity, 1.0);
  return lines;
}

}  // namespace mote
