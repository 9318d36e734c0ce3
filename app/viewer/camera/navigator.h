#pragma once

#include "app/viewer/camera/pose.h"

namespace mote {

/// Input of the flying keys, in units of full speed (-1, 0 or 1 each).
struct FlyInput {
  glm::dvec3 right_up_forward{0, 0, 0};
  double factor = 1;  // multiplies the set speed
};

/// The camera as the user moves it. Inputs set a target pose, and time moves the camera there. Not
/// thread-safe; independent of window and clock.
class Navigator {
 public:
  /// The current pose, and the pose that the camera moves to.
  const Pose& pose() const { return pose_; }
  const Pose& target() const { return target_; }
  const Camera& lens() const { return lens_; }
  const glm::dvec3& up_world() const { return up_world_; }
  double speed() const { return speed_; }

  /// Size of the picture whose pixels pan and zoom count.
  void set_size(int width, int height);
  Camera camera() const { return camera_at(pose_, lens_, width_, height_); }
  /// The camera of the picture: camera(), or its orthographic() form.
  Camera drawn_camera() const {
    return orthographic_ ? orthographic(camera(), pose_.focus_distance) : camera();
  }
  bool is_orthographic() const { return orthographic_; }
  void set_orthographic(bool on) { orthographic_ = on; }

  void orbit(double right, double upwards);
  void look(double right, double upwards);
  void pan(const glm::dvec2& moved_px);
  void zoom(const glm::dvec2& cursor_px, double factor);
  void focus(const glm::dvec3& point_world);
  /// Sets the depth of the focus without moving the camera.
  void set_focus_distance(double distance);
  void frame(const SceneExtent& extent);
  void level();
  /// Looks at the focus in another direction.
  void face(const glm::dvec3& forward);
  /// Moves there smoothly, or at once.
  void go_to(const Pose& pose, bool at_once);
  /// Takes the pose and the lens of a camera, principal point included. Ends an orthographic view.
  void go_to_camera(const Camera& camera, double focus_distance, bool at_once);
  void set_lens(const Camera& lens) { lens_ = lens; }
  void set_up(const glm::dvec3& up_world) { up_world_ = up_world; }
  /// World units a second.
  void set_speed(double speed) { speed_ = speed; }
  /// Time constant of the motion: after it, about a third of the way is left. 0 moves at once.
  /// Seconds.
  void set_smoothing(double smoothing_s) { smoothing_s_ = smoothing_s; }
  void fly(const FlyInput& input) { fly_ = input; }
  const FlyInput& flight() const { return fly_; }

  /// Advances the camera by `dt_s`. While no key is held, the result does not depend on the size of
  /// the time steps.
  void advance(double dt_s);
  /// Whether advance() would change the pose.
  bool moving() const;

 private:
  void aim(const Pose& target, Pivot pivot);

  Pose pose_, target_;
  Pivot pivot_ = Pivot::focus;
  Camera lens_ = make_lens(0.8);
  glm::dvec3 up_world_{0, -1, 0};
  int width_ = 1280, height_ = 720;
  double speed_ = 1, smoothing_s_ = 0.08;
  FlyInput fly_;
  bool orthographic_ = false;
};

}  // namespace mote
