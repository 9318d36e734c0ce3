#pragma once

#include <numbers>
#include <optional>
#include <span>
#include <vector>

#include "cameras/camera.h"

namespace mote {

/// The circle around which the cameras of a dataset stand. A scene trained from them looks best
/// from views on it.
struct CameraRing {
  glm::dvec3 focus_world{0};  // the point nearest to all view axes
  glm::dvec3 up_world{0};     // unit, the mean of the cameras' up vectors
  glm::dvec3 start_world{0};  // unit, normal to up_world: from the focus to the first camera
  double radius = 1,
         height = 0;  // world units, medians: from the line up through the focus, over it
  Camera lens;        // the first camera, for image size and focal length
  /// The arc on which the cameras stand, as angles about up_world from start_world, radians. It
  /// begins at `arc_start` and has the length `arc`: the full circle where the cameras leave no
  /// wide gap.
  double arc_start = 0, arc = 2 * std::numbers::pi;
};

/// Returns nothing where there are fewer than two cameras, where they do not look at one place, or
/// where all look straight up or down.
std::optional<CameraRing> find_camera_ring(std::span<const View> views);

/// `count` evenly spaced views ("orbit_000", ...), each looking at the focus. By default they lie
/// on the ring's arc, including its ends. `degrees`: length of the arc instead, centred on the
/// middle of the ring's arc.
std::vector<View> ring_views(const CameraRing& ring, int count, std::optional<double> degrees = {});

}  // namespace mote
