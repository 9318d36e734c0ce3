#pragma once

#include "app/viewer/pose.h"

namespace mote {

/// The way the user drives: keys held while flying, in units of full speed (-1, 0 or 1 each).
struct FlyInput {
  glm::dvec3 right_up_forward{0, 0, 0};
  double factor = 1;  // faster or slower than the set speed
};

/// The camera as the user moves it: inputs set where it is to be, and time carries it there. One
/// thread's; knows no window and no clock.
class Navigator {
 public:
  /// Where the camera is, and where it is going.
  const Pose& pose() const { return pose_; }
  const Pose& target() const { return target_; }
  const Camera& lens() const { return lens_; }
  const glm::dvec3& up_world() const { return up_world_; }
  double speed() const { return speed_; }

  /// Pans and zooms count pixels of the picture of this size.
  void set_size(int width, int height);
  Camera camera() const { return camera_at(pose_, lens_, width_, height_); }

  void orbit(double right, double upwards);
  void look(double right, double upwards);
  void pan(const glm::dvec2& moved_px);
  void zoom(const glm::dvec2& cursor_px, double factor);
  void focus(const glm::dvec3& point_world);
  /// The focus at this depth without a movement of the camera.
  void set_focus_distance(double distance);
  void frame(const SceneExtent& extent);
  void level();
  /// Goes there smoothly, or at once.
  void go_to(const Pose& pose, bool at_once);
  /// Takes the place and the lens of a camera, its principal point included.
  void go_to_camera(const Camera& camera, double focus_distance, bool at_once);
  void set_lens(const Camera& lens) { lens_ = lens; }
  void set_up(const glm::dvec3& up_world) { up_world_ = up_world; }
  /// World units a second.
  void set_speed(double speed) { speed_ = speed; }
  /// How long motion takes to die away to a third; 0 moves at once. Seconds.
  void set_smoothing(double smoothing_s) { smoothing_s_ = smoothing_s; }
  void fly(const FlyInput& input) { fly_ = input; }
  const FlyInput& flight() const { return fly_; }

  /// Carries the camera on by `dt_s`. Where no key is held the result does not depend on how the
  /// time is cut up.
  void advance(double dt_s);
  /// Whether advance() would change anything.
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
};

}  // namespace mote
