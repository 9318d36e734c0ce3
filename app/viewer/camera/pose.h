#pragma once

#include <glm/ext/quaternion_double.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>

#include "cameras/camera.h"
#include "scene/camera_path.h"

namespace mote {

/// Position and orientation of the viewer, and the distance to its center of rotation.
struct Pose {
  glm::dvec3 eye_world{0, 0, -4};
  glm::dquat world_from_cam{1, 0, 0, 0};  // camera axes as in Camera: x right, y down, z forward
  double focus_distance = 4;              // along the view axis, world units, above 0

  glm::dvec3 right() const;
  glm::dvec3 down() const;
  glm::dvec3 forward() const;
  glm::dvec3 focus_world() const { return eye_world + focus_distance * forward(); }
};

/// The pose of a camera, with the focus at a distance.
Pose pose_of(const Camera& camera, double focus_distance);
/// The camera at the pose, for an image of another size than the lens. Uses resized() if the aspect
/// ratios agree to the pixel, else fitted(). `lens` gives size, focal length and center.
Camera camera_at(const Pose& pose, const Camera& lens, int width, int height);
/// A lens of this field of view (radians, across the shorter side).
Camera make_lens(double field_of_view, int width = 1280, int height = 720);
double field_of_view(const Camera& lens);

/// Factor on the distance of the focus in an orthographic view. A point as far behind the focus as
/// the eye is before it appears 0.1 % smaller; that is half a pixel at the edge of 1000 pixels.
/// Depths, of float, keep steps of 1e-4 of the distance.
inline constexpr double kOrthographicFactor = 1024;
/// The camera whose view is orthographic but for that error: a lens as long as it is far away,
/// which shows the plane of the focus as `camera` does. Every device and every kind of splats draws
/// it as any other camera.
Camera orthographic(const Camera& camera, double focus_distance);
/// How much farther the eye is away than the eye of `camera`.
double orthographic_retreat(double focus_distance);

/// Each of these returns the pose after one input. `up` is the world's up vector, of any length.
/// Angles are in radians. Pixels are those of `camera`, the camera on screen.

/// Orbits the focus. A positive `right` moves the scene to the right on screen; `upwards` raises
/// the eye. Stops short of the poles; the horizon is level afterwards.
Pose orbited(const Pose& pose, const glm::dvec3& up, double right, double upwards);
/// Turns the view about the eye, to the right and upwards. Stops short of the poles; the horizon is
/// level afterwards.
Pose turned(const Pose& pose, const glm::dvec3& up, double right, double upwards);
/// Moves sideways, so that the point of the focal plane under the cursor stays under it when the
/// cursor moves by `moved_px`.
Pose panned(const Pose& pose, const Camera& camera, const glm::dvec2& moved_px);
/// Scales the distance to the focal plane by `factor`. The point under the pixel `cursor_px` stays
/// in place.
Pose zoomed(const Pose& pose, const Camera& camera, const glm::dvec2& cursor_px, double factor);
/// Moves by world units: right in the view, along `up`, and forward.
Pose flown(const Pose& pose, const glm::dvec3& up, const glm::dvec3& right_up_forward);
/// Looks at a point without moving the eye; the point becomes the focus.
Pose focused(const Pose& pose, const glm::dvec3& up, const glm::dvec3& point_world);
/// Moves back, without turning, until the extent fills the frame.
Pose framed(const Pose& pose, const Camera& camera, const SceneExtent& extent);
/// Looks at the focus in another direction (not zero), from the same distance. `up` is upwards in
/// the picture; along `up`, right is the right of the front.
Pose facing(const Pose& pose, const glm::dvec3& up, const glm::dvec3& forward);
/// Directions of standard views, by the world's up vector: forwards in the front view, which is
/// that of camera_path.h's orbit, and to its right. Unit vectors.
glm::dvec3 front_forward(const glm::dvec3& up);
glm::dvec3 front_right(const glm::dvec3& up);
/// Moves sideways, without turning, until the point is in the middle.
Pose centered(const Pose& pose, const glm::dvec3& point_world);
/// The same view with the horizon level.
Pose levelled(const Pose& pose, const glm::dvec3& up);

/// The point that stays fixed while one pose blends into another.
enum class Pivot { focus, eye };
/// Interpolates at `t` (0 to 1): rotation at constant speed, distances geometrically.
Pose blended(const Pose& from, const Pose& to, double t, Pivot pivot);
/// Whether the difference is invisible on a screen.
bool alike(const Pose& a, const Pose& b);

/// World point at pixel `px` of `camera` and view depth `depth`.
glm::dvec3 unprojected(const Camera& camera, const glm::dvec2& px, double depth);

}  // namespace mote
