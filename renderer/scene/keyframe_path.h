#pragma once

// A camera's way through keyframes: smooth, through each of them at its time. Orbits and views that
// nobody set are made in scene/camera_path.h.

#include <glm/ext/quaternion_double.hpp>
#include <glm/vec3.hpp>
#include <string>
#include <vector>

#include "cameras/camera.h"

namespace mote {

struct CameraKeyframe {
  double time_s = 0;
  glm::dvec3 position_world{0};
  glm::dquat world_from_cam{1, 0, 0, 0};  // turns the camera's axes (x right, y down, z forward)
  double field_of_view = 0.8;             // vertical, radians
};

/// The keyframe that shows what the camera shows, but for a centre that is off the image's middle.
CameraKeyframe keyframe_of(const Camera& camera, double time_s);

struct KeyframePath {
  std::vector<CameraKeyframe> keyframes = {};  // times ascending
  bool loop = false;                           // from the last keyframe on to the first
  double closing_s = 0;                        // how long that takes; 0: the mean of the others
  /// Times say only how long the path takes; on it the camera moves evenly.
  bool constant_speed = false;
  int width = 0, height = 0;     // px, of the pictures it is meant for; 0: any
  double frames_per_second = 0;  // that it is meant for; 0: any
};

/// Throws Error, with `where` and the keyframe's number, for a path that no camera can follow: no
/// keyframe, times that do not ascend, values that are not finite, a field of view that is not
/// between 0 and pi, a quaternion of length 0.
void check_path(const KeyframePath& path, const std::string& where);

/// A smooth curve through the keyframes. All quantities are cubics of one parameter u, whose steps
/// from keyframe to keyframe are centripetal (Yuksel et al., "Parameterization and Applications of
/// Catmull-Rom Curves", 2011), turning counted besides moving: positions and logarithms of fields
/// of view as Catmull-Rom curves in Hermite form, rotations as Bezier curves by repeated slerp
/// (Shoemake, "Animating Rotation with Quaternion Curves", 1985) with the same kind of tangents.
/// u follows the time by a monotone cubic (Fritsch and Butland 1984), so that the camera never
/// moves backwards; or, at constant speed, by the inverse of the way covered.
class CameraSpline {
 public:
  /// CHECKs what check_path() refuses.
  explicit CameraSpline(const KeyframePath& path);

  /// From the first keyframe to the last, of a loop back to the first.
  double duration_s() const { return times_.back(); }
  bool loop() const { return loop_; }

  /// The state at a time from the start: of a loop modulo the duration, else held at both ends.
  CameraKeyframe at(double seconds) const;

 private:
  struct Segment {
    double u0, du;
    glm::dvec3 position[2], velocity[2];    // at both ends, world units a unit of u
    double log_view[2], log_view_slope[2];  // of the field of view
    glm::dquat rotation[4];                 // Bezier points
  };
  struct Way {
    double u, length;
  };

  void make_segments(const std::vector<CameraKeyframe>& keys);
  void make_times(const KeyframePath& path);
  void make_ways();
  double u_at(double seconds) const;
  CameraKeyframe state_at(double u) const;

  bool loop_ = false;
  CameraKeyframe first_;
  std::vector<Segment> segments_;    // none of a single keyframe
  std::vector<double> times_;        // of the keyframes from the start
  std::vector<double> time_slopes_;  // du/dt at them
  std::vector<Way> ways_;            // of constant speed: way covered up to u; else none
};

/// The pinhole camera, with square pixels, that shows a state in a picture of this size.
Camera camera_of(const CameraKeyframe& state, int width, int height);

struct PathSampling {
  int width = 1280, height = 720;  // px
  double frames_per_second = 30;
  double duration_s = 0;  // the whole path in this time; 0: in its own
};

/// Views along the path, evenly in time: both ends are shown, of a loop the first alone. Named
/// "frame_00000", .... Throws Error for more than 10^6 frames.
std::vector<View> path_views(const KeyframePath& path, const PathSampling& sampling);

/// When the camera is there, in the time of the keyframes, a number a view.
std::vector<double> path_times(const KeyframePath& path, const PathSampling& sampling);

}  // namespace mote
