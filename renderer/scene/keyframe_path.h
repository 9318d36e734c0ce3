#pragma once

// A smooth camera path through keyframes, each at its time. Generated paths, such as orbits, are in
// scene/camera_path.h.

#include <glm/ext/quaternion_double.hpp>
#include <glm/vec3.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cameras/camera.h"

namespace mote {

struct CameraKeyframe {
  double time_s = 0;
  glm::dvec3 position_world{0};
  glm::dquat world_from_cam{1, 0, 0,
                            0};  // rotation of the camera's axes (x right, y down, z forward)
  double field_of_view = 0.8;    // vertical, radians
  /// The time at which a moving scene is shown, s; empty: as the neighbours say, see
  /// CameraSpline::scene_time_at().
  std::optional<double> scene_time_s = {};
};

/// The keyframe with the view of `camera`, without the offset of its principal point.
CameraKeyframe keyframe_of(const Camera& camera, double time_s);

struct KeyframePath {
  std::vector<CameraKeyframe> keyframes = {};  // times ascending
  bool loop = false;  // the path continues from the last keyframe to the first
  /// Duration of the part that closes the loop; 0: the mean of the other parts.
  double closing_s = 0;
  /// The camera moves at constant speed; the times only give the duration of the path.
  bool constant_speed = false;
  int width = 0, height = 0;     // px, of the intended pictures; 0: any
  double frames_per_second = 0;  // intended rate; 0: any
};

/// Throws Error, which names `where` and the keyframe, if the path is invalid: no keyframe, times
/// that do not ascend, values that are not finite, a negative scene time, a field of view outside 0
/// to pi, or a quaternion of length 0.
void check_path(const KeyframePath& path, const std::string& where);

/// A smooth curve through the keyframes. All quantities are cubics of one parameter u. Its steps
/// between keyframes are centripetal (Yuksel et al., "Parameterization and Applications of
/// Catmull-Rom Curves", 2011) and include rotation as well as translation. Positions and logarithms
/// of fields of view are Catmull-Rom curves in Hermite form. Rotations are Bezier curves by
/// repeated slerp (Shoemake, "Animating Rotation with Quaternion Curves", 1985) with the same kind
/// of tangents. u is a monotone cubic of time (Fritsch and Butland 1984), so the camera
/// never moves backwards. At constant speed, u is the inverse of the path length instead.
class CameraSpline {
 public:
  /// CHECKs the conditions of check_path().
  explicit CameraSpline(const KeyframePath& path);

  /// From the first keyframe to the last; for a loop, back to the first.
  double duration_s() const { return times_.back(); }
  bool loop() const { return loop_; }

  /// The state `seconds` after the start, with its scene time. A loop repeats; other paths stand
  /// still before the start and after the end.
  CameraKeyframe at(double seconds) const;
  /// The time of a moving scene `seconds` after the start. Between keyframes with a scene time it
  /// changes at a constant rate; before the first and after the last of them it stands. If no
  /// keyframe has one, it is the time on the axis of the keyframes.
  double scene_time_at(double seconds) const;

 private:
  struct Segment {
    double u0, du;
    glm::dvec3 position[2], velocity[2];    // at both ends; world units per unit of u
    double log_view[2], log_view_slope[2];  // logarithm of the field of view
    glm::dquat rotation[4];                 // Bezier points
  };
  struct Way {
    double u, length;
  };
  struct SceneTime {
    double seconds;  // since the start of the path
    double scene_s;
  };

  void make_segments(const std::vector<CameraKeyframe>& keys);
  void make_times(const KeyframePath& path);
  void make_ways();
  void make_scene_times(const std::vector<CameraKeyframe>& keys);
  double seconds_at_key(std::size_t number) const;
  double wrapped(double seconds) const;
  double u_at(double seconds) const;
  CameraKeyframe state_at(double u) const;

  bool loop_ = false;
  CameraKeyframe first_;
  std::vector<Segment> segments_;       // empty for a single keyframe
  std::vector<double> times_;           // times of the keyframes, relative to the start
  std::vector<double> time_slopes_;     // du/dt at the keyframes
  std::vector<Way> ways_;               // at constant speed: path length up to u; otherwise empty
  std::vector<SceneTime> scene_times_;  // of the keyframes that have one
};

/// The pinhole camera with square pixels for a state and an image size.
Camera camera_of(const CameraKeyframe& state, int width, int height);

struct PathSampling {
  int width = 1280, height = 720;  // px
  double frames_per_second = 30;
  double duration_s = 0;  // duration of the whole path; 0: that of the keyframes
};

/// Views along the path, evenly spaced in time and named "frame_00000", ..., with the times of a
/// moving scene. Both ends are shown; a loop shows its first view once. Throws Error for more
/// than 10^6 frames.
std::vector<View> path_views(const KeyframePath& path, const PathSampling& sampling);

}  // namespace mote
