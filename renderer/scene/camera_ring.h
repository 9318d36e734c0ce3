#pragma once

#include <numbers>
#include <optional>
#include <span>
#include <vector>

#include "cameras/camera.h"

namespace mote {

/// The circle that cameras stand about: the way around a scene on which a scene trained from them
/// looks best.
struct CameraRing {
  glm::dvec3 focus_world{0};  // the point nearest to all axes of view
  glm::dvec3 up_world{0};     // unit, the mean of the cameras'
  glm::dvec3 start_world{0};  // unit, normal to up_world: from the focus to the first camera
  double radius = 1,
         height = 0;  // world units, medians: from the line up through the focus, over it
  Camera lens;        // the first camera, for size and focal length
  /// Angles about up_world from start_world, radians, between which the cameras stand: of `arc`
  /// from `arc_start` on; all around where they leave no wide gap.
  double arc_start = 0, arc = 2 * std::numbers::pi;
};

/// Nothing where the cameras do not look at one place, all look straight up or down, or are fewer
/// than two.
std::optional<CameraRing> find_camera_ring(std::span<const View> views);

/// `count` views evenly spaced on it ("orbit_000", ...), each looking at the focus: on its arc, the
/// ends included, or on the part of a circle that `degrees` says, from the middle of the arc to
/// both sides.
std::vector<View> ring_views(const CameraRing& ring, int count, std::optional<double> degrees = {});

}  // namespace mote
