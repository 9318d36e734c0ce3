#include "app/viewer/camera/navigator.h"

#include <cmath>
#include <glm/geometric.hpp>

namespace mote {

void Navigator::set_size(int width, int height) {
  width_ = width;
  height_ = height;
}

void Navigator::aim(const Pose& target, Pivot pivot) {
  target_ = target;
  pivot_ = pivot;
  if (smoothing_s_ <= 0) pose_ = target_;
}

void Navigator::orbit(double right, double upwards) {
  aim(orbited(target_, up_world_, right, upwards), Pivot::focus);
}

void Navigator::look(double right, double upwards) {
  aim(turned(target_, up_world_, right, upwards), Pivot::eye);
}

void Navigator::pan(const glm::dvec2& moved_px) {
  aim(panned(target_, camera_at(target_, lens_, width_, height_), moved_px), Pivot::focus);
}

void Navigator::zoom(const glm::dvec2& cursor_px, double factor) {
  aim(zoomed(target_, camera_at(target_, lens_, width_, height_), cursor_px, factor), Pivot::focus);
}

void Navigator::focus(const glm::dvec3& point_world) {
  // A turn about the eye would show another side of everything.
  if (orthographic_) {
    aim(centered(target_, point_world), Pivot::focus);
    return;
  }
  aim(focused(target_, up_world_, point_world), Pivot::eye);
}

void Navigator::set_focus_distance(double distance) {
  pose_.focus_distance = target_.focus_distance = distance;
}

void Navigator::frame(const SceneExtent& extent) {
  aim(framed(target_, camera_at(target_, lens_, width_, height_), extent), Pivot::focus);
}

void Navigator::level() {
  aim(levelled(target_, up_world_), Pivot::eye);
}

void Navigator::face(const glm::dvec3& forward) {
  aim(facing(target_, up_world_, forward), Pivot::focus);
}

void Navigator::go_to(const Pose& pose, bool at_once) {
  aim(pose, Pivot::eye);
  if (at_once) pose_ = target_;
}

void Navigator::go_to_camera(const Camera& camera, double focus_distance, bool at_once) {
  lens_ = camera;
  orthographic_ = false;
  go_to(pose_of(camera, focus_distance), at_once);
}

void Navigator::advance(double dt_s) {
  if (fly_.right_up_forward != glm::dvec3(0)) {
    const glm::dvec3 way = fly_.right_up_forward / glm::length(fly_.right_up_forward);
    aim(flown(target_, up_world_, dt_s * speed_ * fly_.factor * way), Pivot::eye);
  }
  if (!moving()) {
    pose_ = target_;
    return;
  }
  pose_ = blended(pose_, target_, 1 - std::exp(-dt_s / smoothing_s_), pivot_);
  if (alike(pose_, target_)) pose_ = target_;
}

bool Navigator::moving() const {
  return fly_.right_up_forward != glm::dvec3(0) || !alike(pose_, target_);
}

}  // namespace mote
