#pragma once

// The gizmo that moves, rotates or scales what it stands on: its handles in the image, the handle
// under the pointer, and the change that a drag makes. Functions of the camera and of pixels only.
//
// Scaling is uniform, since splats stretched along one axis would need other harmonics; there are
// therefore no handles for single axes.

#include <glm/mat3x3.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <optional>
#include <vector>

#include "cameras/camera.h"
#include "scene/similarity.h"

namespace mote {

enum class GizmoKind { move, rotate, scale };

/// A gizmo at its place in the world.
struct Gizmo {
  GizmoKind kind = GizmoKind::move;
  glm::dvec3 origin{0};
  glm::dmat3 axes{1};  // columns: unit vectors
};

/// The effect of a handle. `axis`, `plane` and `ring` belong to one of the axes: a plane is
/// perpendicular to its axis, a ring turns about it. The others belong to none.
struct GizmoPart {
  enum class Kind {
    axis,
    plane,
    screen,  // moves in the plane that faces the camera
    ring,
    screen_ring,  // turns about the view direction
    size,         // ring: the distance from the centre
    size_center   // square at the centre: the way of the pointer
  };
  Kind kind = Kind::screen;
  int axis = 0;
  bool operator==(const GizmoPart&) const = default;
};

/// One handle in pixels of the image.
struct GizmoHandle {
  GizmoPart part = {};
  std::vector<glm::dvec2> line_px = {};  // the outline of an area, or the line itself
  bool is_area = false;
  bool is_front = true;  // false: the far half of a ring, which is drawn and takes no pointer
};

/// The handles, in drawing order. Handles that are seen end-on are left out, since a drag of them
/// would have no limits.
struct GizmoShape {
  glm::dvec2 origin_px{0};
  std::vector<GizmoHandle> handles;
};

/// Sizes at a display scale of 1, px.
inline constexpr double kGizmoArmPx = 88, kGizmoHeadPx = 13, kGizmoReachPx = 7;

/// Empty if the origin is not in front of the camera. `unit`: pixels per unit of the display scale.
std::optional<GizmoShape> shape_of(const Gizmo& gizmo, const Camera& camera, double unit);

/// The handle under the pixel: areas first, then the nearest line within reach.
std::optional<GizmoPart> part_under(const GizmoShape& shape, const glm::dvec2& px, double unit);

/// The start of a drag.
struct GizmoGrab {
  Gizmo gizmo;
  GizmoPart part;
  glm::dvec2 px{0};
  double unit = 1;
  double start = 0;          // place on the axis, angle, or distance from the centre in px
  glm::dvec3 point{0};       // in the plane of a plane handle
  glm::dvec3 axis_world{0};  // of a rotation
  glm::dvec2 origin_px{0};
  std::optional<glm::dvec2> tangent = {};  // of a ring seen from its side: px per radian
};

/// Empty if the pointer's ray has no point on the handle.
std::optional<GizmoGrab> grabbed(const Gizmo& gizmo, const GizmoPart& part, const Camera& camera,
                                 const glm::dvec2& px, double unit);

/// Steps to which drags snap; 0: none.
struct GizmoSnap {
  double move = 0;        // world units
  double rotate_rad = 0;  // angle
  double scale = 0;       // of the factor
};

/// The change since the start of a drag.
struct GizmoChange {
  glm::dvec3 moved{0};    // along the gizmo's axes, world units
  double angle = 0;       // radians, about axis_world
  double free_angle = 0;  // the same before snapping
  glm::dvec3 axis_world{0, 0, 1};
  double factor = 1;  // in 1e-3 to 1e3
};

/// The change that the pointer at `px` makes. Empty if its ray does not meet the handle's line or
/// plane at a usable place; the last change then stays. `near_angle`: free_angle of the last
/// change, so that a rotation goes on beyond half a turn.
std::optional<GizmoChange> change_at(const GizmoGrab& grab, const Camera& camera,
                                     const glm::dvec2& px, const GizmoSnap& snap,
                                     double near_angle);

/// The change as a map of the world.
Similarity similarity_of(const GizmoChange& change, const Gizmo& gizmo);

/// Where the pixel's ray meets the plane. Empty if it is seen edge-on there, if the place is behind
/// the camera, or if it is more than 50 times as far away as `point`.
std::optional<glm::dvec3> nearest_on_plane(const Camera& camera, const glm::dvec2& px,
                                           const glm::dvec3& point, const glm::dvec3& normal);

}  // namespace mote
