#pragma once

#include <glm/ext/quaternion_double.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>

#include "cameras/camera.h"
#include "scene/camera_path.h"

namespace mote {

/// Where the viewer stands and looks, and how far away lies what it turns about.
struct Pose {
  glm::dvec3 eye_world{0, 0, -4};
  glm::dquat world_from_cam{1, 0, 0, 0};  // camera axes as Camera's: x right, y down, z forward
  double focus_distance = 4;              // along the view axis, world units, above 0

  glm::dvec3 right() const;
  glm::dvec3 down() const;
  glm::dvec3 forward() const;
  glm::dvec3 focus_world() const { return eye_world + focus_distance * forward(); }
};

/// The pose of a camera, with the focus at a distance.
Pose pose_of(const Camera& camera, double focus_distance);
/// `lens` (its size, focal length and centre) seen from the pose in an image of another size, as
/// fitted() does it, or where the shape is the lens's up to whole pixels, as resized() does.
Camera camera_at(const Pose& pose, const Camera& lens, int width, int height);
/// A lens of this field of view (radians, across the shorter side).
Camera make_lens(double field_of_view, int width = 1280, int height = 720);
double field_of_view(const Camera& lens);

/// Each of these gives the pose after one input. `up` is the world's, of any length; angles are
/// radians; pixels are those of `camera`, what was on screen.

/// Turns about the focus: `right` moves the eye around the up axis, so that what is seen goes that
/// way, `up` lifts it. Stops short of the poles; ends with a level horizon.
Pose orbited(const Pose& pose, const glm::dvec3& up, double right, double upwards);
/// Turns the view about the eye: to the right, and upwards. Stops short of the poles; ends level.
Pose turned(const Pose& pose, const glm::dvec3& up, double right, double upwards);
/// Moves across, so that the point of the focal plane under a pixel stays under it when the cursor
/// goes by `moved_px`.
Pose panned(const Pose& pose, const Camera& camera, const glm::dvec2& moved_px);
/// Multiplies the distance by `factor` towards the point of the focal plane under the pixel
/// `cursor_px`, which stays there.
Pose zoomed(const Pose& pose, const Camera& camera, const glm::dvec2& cursor_px, double factor);
/// Moves by world units: to the right of the view, along up, and forward.
Pose flown(const Pose& pose, const glm::dvec3& up, const glm::dvec3& right_up_forward);
/// Looks at a point from where the eye is; the point is the focus from then on.
Pose focused(const Pose& pose, const glm::dvec3& up, const glm::dvec3& point_world);
/// Backs off, without turning, to where the extent fills the frame.
Pose framed(const Pose& pose, const Camera& camera, const SceneExtent& extent);
/// The same view with the horizon level.
Pose levelled(const Pose& pose, const glm::dvec3& up);

/// What the way from one pose to another keeps still.
enum class Pivot { focus, eye };
/// `t` (0 to 1) of the way: turned evenly, distances in equal ratios.
Pose blended(const Pose& from, const Pose& to, double t, Pivot pivot);
/// Whether they look the same on a screen.
bool alike(const Pose& a, const Pose& b);

/// The point in the world that pixel `px` of `camera` shows at view depth `depth`.
glm::dvec3 unprojected(const Camera& camera, const glm::dvec2& px, double depth);

}  // namespace mote
