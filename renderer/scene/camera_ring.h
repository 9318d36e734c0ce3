#pragma once

#include <numbers>
#include <optional>
#include <span>
#include <vector>

#include "cameras/camera.h"

namespace mote {

/// The circle on which the cameras of a dataset stand. A scene trained with these cameras looks
/// best from this circle.
struct CameraRing {
  glm::dvec3 focus_world{0};  // the point nearest to all view axes
  glm::dvec3 up_world{0};     // unit, the mean of the cameras' up vectors
  glm::dvec3 start_world{0};  // unit, normal to up_world: from the focus to the first camera
  /// Medians over the cameras, world units: distance from the vertical axis through the focus, and
  /// height above the focus.
  double radius = 1, height = 0;
  Camera lens;  // the first camera, for image size and focal length
  /// The arc on which the cameras stand, as angles about up_world from start_world, radians. It
  /// begins at `arc_start` and has the length `arc`, which is the full circle if the cameras leave
  /// no wide gap.
  double arc_start = 0, arc = 2 * std::numbers::pi;
};

/// Returns nothing if there are fewer than two cameras, if they do not look at one place, or if all
/// look straight up or down.
std::optional<CameraRing> find_camera_ring(std::span<const View> views);

/// `count` evenly spaced views ("orbit_000", ...), each looking at the focus. By default they lie
/// on the ring's arc, including its ends. `degrees`: length of another arc with the same middle.
std::vector<View> ring_views(const CameraRing& ring, int count, std::optional<double> degrees = {});

}  // namespace mote
