#include "scene/camera_ring.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/gtc/matrix_access.hpp>
#include <glm/matrix.hpp>
#include <numbers>

#include "core/error.h"
#include "core/median.h"

namespace mote {
namespace {

glm::dvec3 forward_of(const Camera& camera) {
  return glm::row(camera.cam_from_world, 2);
}

/// The point nearest to the view axes by least squares; empty if they are nearly parallel.
std::optional<glm::dvec3> nearest_to_axes(std::span<const View> views) {
  constexpr double kLeastSpread = 1e-4;  // approximately the squared angle between axes, radians
  glm::dmat3 across(0);
  glm::dvec3 target(0);
  for (const View& view : views) {
    const glm::dvec3 forward = forward_of(view.camera);
    const glm::dmat3 projection = glm::dmat3(1) - glm::outerProduct(forward, forward);
    across += projection;
    target += projection * view.camera.position_world();
  }
  across /= static_cast<double>(views.size());
  target /= static_cast<double>(views.size());
  // For parallel axes the point is undetermined: one eigenvalue is zero, the others are one.
  if (glm::determinant(across) < kLeastSpread) return {};
  return glm::inverse(across) * target;
}

/// Sets the arc: the circle without its widest gap if the gap is wide, otherwise the full circle.
/// `angles` in radians.
void find_arc(std::vector<double> angles, CameraRing& ring) {
  constexpr double kCircle = 2 * std::numbers::pi;
  const double usual = kCircle / static_cast<double>(angles.size());
  std::ranges::sort(angles);
  double gap = kCircle + angles.front() - angles.back(), end = angles.back();
  double start = angles.front();
  for (std::size_t i = 1; i < angles.size(); ++i) {
    if (angles[i] - angles[i - 1] <= gap) continue;
    gap = angles[i] - angles[i - 1];
    end = angles[i - 1];
    start = angles[i];
  }
  if (gap < std::max(kCircle / 4, 1.5 * usual)) return;
  ring.arc_start = start;
  ring.arc = end >= start ? end - start : end + kCircle - start;
}

}  // namespace

std::optional<CameraRing> find_camera_ring(std::span<const View> views) {
  constexpr double kLeastUp = 0.1;  // minimum length of the mean of the unit up vectors
  if (views.size() < 2) return {};
  const auto focus = nearest_to_axes(views);
  if (!focus) return {};
  CameraRing ring{.focus_world = *focus, .lens = views.front().camera};
  std::size_t towards = 0;
  for (const View& view : views) {
    ring.up_world -= glm::dvec3(glm::row(view.camera.cam_from_world, 1));
    towards += glm::dot(forward_of(view.camera), *focus - view.camera.position_world()) > 0 ? 1 : 0;
  }
  const double length = glm::length(ring.up_world);
  if (2 * towards <= views.size() || length < kLeastUp * static_cast<double>(views.size())) {
    return {};
  }
  ring.up_world /= length;
  std::vector<double> heights, radii;
  for (const View& view : views) {
    const glm::dvec3 offset = view.camera.position_world() - *focus;
    const double height = glm::dot(offset, ring.up_world);
    const glm::dvec3 outward = offset - height * ring.up_world;
    heights.push_back(height);
    radii.push_back(glm::length(outward));
    if (ring.start_world == glm::dvec3(0) && radii.back() > 1e-9 * glm::length(offset)) {
      ring.start_world = outward / radii.back();
    }
  }
  ring.height = median(std::move(heights));
  ring.radius = median(std::move(radii));
  if (!(ring.radius > 0)) return {};
  const glm::dvec3 aside = glm::cross(ring.up_world, ring.start_world);
  std::vector<double> angles;
  for (const View& view : views) {
    const glm::dvec3 offset = view.camera.position_world() - *focus;
    angles.push_back(std::atan2(glm::dot(offset, aside), glm::dot(offset, ring.start_world)));
  }
  find_arc(std::move(angles), ring);
  return ring;
}

std::vector<View> ring_views(const CameraRing& ring, int count, std::optional<double> degrees) {
  constexpr double kCircle = 2 * std::numbers::pi;
  CHECK(count >= 1);
  const glm::dvec3 aside = glm::cross(ring.up_world, ring.start_world);
  const double arc = degrees ? std::min(*degrees / 360 * kCircle, kCircle) : ring.arc;
  const bool closed = arc >= kCircle;
  // A closed circle begins at the first camera. An arc includes both of its ends.
  const double start = closed ? 0 : ring.arc_start + (ring.arc - arc) / 2;
  const double step = closed ? arc / count : count > 1 ? arc / (count - 1) : 0;
  const double first = closed || count > 1 ? start : start + arc / 2;
  std::vector<View> views;
  for (int i = 0; i < count; ++i) {
    const double angle = first + step * i;
    const glm::dvec3 outward = std::cos(angle) * ring.start_world + std::sin(angle) * aside;
    View view{fmt::format("orbit_{:03}", i), ring.lens};
    look_at(view.camera, ring.focus_world + ring.radius * outward + ring.height * ring.up_world,
            ring.focus_world, ring.up_world);
    views.push_back(std::move(view));
  }
  return views;
}

}  // namespace mote
