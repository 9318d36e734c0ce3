#include "app/viewer/camera/pose.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <numbers>

namespace mote {
namespace {

/// Largest angle of the view above or below the horizon, radians.
constexpr double kPole = std::numbers::pi / 2 - 0.02;
constexpr double kFrameMargin = 1.05;

Pose looking(const glm::dvec3& eye, const glm::dvec3& target, const glm::dvec3& up) {
  Camera camera;
  look_at(camera, eye, target, up);
  return pose_of(camera, glm::length(target - eye));
}

/// Turns the direction about `up` by `right` (clockwise seen from above) and lifts it by `upwards`,
/// limited near the poles.
glm::dvec3 steered(const glm::dvec3& direction, const glm::dvec3& side, const glm::dvec3& up,
                   double right, double upwards) {
  const glm::dvec3 axis = glm::normalize(up);
  const double elevation = std::asin(std::clamp(glm::dot(direction, axis), -1.0, 1.0));
  glm::dvec3 flat = direction - glm::dot(direction, axis) * axis;
  // A view along the axis has no heading of its own; its side direction gives one.
  if (glm::dot(flat, flat) < 1e-12) flat = glm::cross(axis, side);
  flat = glm::normalize(flat);
  const glm::dvec3 around = glm::angleAxis(-right, axis) * flat;
  const double lifted = std::clamp(elevation + upwards, -kPole, kPole);
  return std::cos(lifted) * around + std::sin(lifted) * axis;
}

}  // namespace

glm::dvec3 Pose::right() const {
  return world_from_cam * glm::dvec3(1, 0, 0);
}

glm::dvec3 Pose::down() const {
  return world_from_cam * glm::dvec3(0, 1, 0);
}

glm::dvec3 Pose::forward() const {
  return world_from_cam * glm::dvec3(0, 0, 1);
}

Pose pose_of(const Camera& camera, double focus_distance) {
  return {.eye_world = camera.position_world(),
          .world_from_cam = glm::normalize(glm::quat_cast(glm::transpose(camera.cam_from_world))),
          .focus_distance = focus_distance};
}

Camera camera_at(const Pose& pose, const Camera& lens, int width, int height) {
  // With equal aspect ratios the view matches exactly, so that a photograph can be laid over it.
  const double shape = static_cast<double>(lens.height) / lens.width;
  const bool same_shape = std::abs(shape * width - height) <= 0.5 * (1 + shape);
  Camera camera = same_shape ? resized(lens, width, height) : fitted(lens, width, height);
  camera.cam_from_world = glm::transpose(glm::mat3_cast(pose.world_from_cam));
  camera.translation = -(camera.cam_from_world * pose.eye_world);
  return camera;
}

Camera make_lens(double field_of_view, int width, int height) {
  Camera lens;
  lens.width = width;
  lens.height = height;
  lens.focal_px = glm::dvec2(0.5 * std::min(width, height) / std::tan(0.5 * field_of_view));
  lens.center_px = 0.5 * glm::dvec2(width, height);
  return lens;
}

double field_of_view(const Camera& lens) {
  const bool wide = lens.width >= lens.height;
  return 2 * std::atan(0.5 * (wide ? lens.height / lens.focal_px.y : lens.width / lens.focal_px.x));
}

Camera orthographic(const Camera& camera, double focus_distance) {
  Camera far = camera;
  far.focal_px *= kOrthographicFactor;
  far.translation.z += orthographic_retreat(focus_distance);
  return far;
}

double orthographic_retreat(double focus_distance) {
  return (kOrthographicFactor - 1) * focus_distance;
}

Pose orbited(const Pose& pose, const glm::dvec3& up, double right, double upwards) {
  const glm::dvec3 focus = pose.focus_world();
  const glm::dvec3 forward = steered(pose.forward(), pose.right(), up, right, -upwards);
  return looking(focus - pose.focus_distance * forward, focus, up);
}

Pose turned(const Pose& pose, const glm::dvec3& up, double right, double upwards) {
  const glm::dvec3 forward = steered(pose.forward(), pose.right(), up, right, upwards);
  return looking(pose.eye_world, pose.eye_world + pose.focus_distance * forward, up);
}

Pose panned(const Pose& pose, const Camera& camera, const glm::dvec2& moved_px) {
  const glm::dvec2 moved = pose.focus_distance * moved_px / camera.focal_px;
  Pose result = pose;
  result.eye_world -= moved.x * pose.right() + moved.y * pose.down();
  return result;
}

Pose zoomed(const Pose& pose, const Camera& camera, const glm::dvec2& cursor_px, double factor) {
  const glm::dvec2 slope = (cursor_px - camera.center_px) / camera.focal_px;
  const glm::dvec3 point =
      pose.focus_world() + pose.focus_distance * (slope.x * pose.right() + slope.y * pose.down());
  Pose result = pose;
  result.eye_world = point + factor * (pose.eye_world - point);
  result.focus_distance = factor * pose.focus_distance;
  return result;
}

Pose flown(const Pose& pose, const glm::dvec3& up, const glm::dvec3& right_up_forward) {
  Pose result = pose;
  result.eye_world += right_up_forward.x * pose.right() + right_up_forward.y * glm::normalize(up) +
                      right_up_forward.z * pose.forward();
  return result;
}

Pose focused(const Pose& pose, const glm::dvec3& up, const glm::dvec3& point_world) {
  if (!(glm::length(point_world - pose.eye_world) > 0)) return pose;
  return looking(pose.eye_world, point_world, up);
}

Pose framed(const Pose& pose, const Camera& camera, const SceneExtent& extent) {
  Pose result = pose;
  result.focus_distance = kFrameMargin * extent.radius / std::sin(0.5 * field_of_view(camera));
  result.eye_world = extent.center - result.focus_distance * pose.forward();
  return result;
}

glm::dvec3 front_right(const glm::dvec3& up) {
  const glm::dvec3 axis = glm::normalize(up);
  const glm::dvec3 helper = std::abs(axis.z) < 0.9 ? glm::dvec3(0, 0, 1) : glm::dvec3(0, 1, 0);
  return glm::normalize(glm::cross(helper, axis));
}

glm::dvec3 front_forward(const glm::dvec3& up) {
  return glm::cross(glm::normalize(up), front_right(up));
}

Pose facing(const Pose& pose, const glm::dvec3& up, const glm::dvec3& forward) {
  constexpr double kAlongUp = 1e-6;  // sine
  const glm::dvec3 way = glm::normalize(forward);
  glm::dvec3 right = glm::cross(way, glm::normalize(up));
  right = glm::length(right) > kAlongUp ? glm::normalize(right) : front_right(up);
  Pose result = pose;
  const glm::dmat3 axes(right, glm::normalize(glm::cross(way, right)), way);
  result.world_from_cam = glm::normalize(glm::quat_cast(axes));
  result.eye_world = pose.focus_world() - pose.focus_distance * way;
  return result;
}

Pose centered(const Pose& pose, const glm::dvec3& point_world) {
  Pose result = pose;
  result.eye_world = point_world - pose.focus_distance * pose.forward();
  return result;
}

Pose levelled(const Pose& pose, const glm::dvec3& up) {
  return turned(pose, up, 0, 0);
}

Pose blended(const Pose& from, const Pose& to, double t, Pivot pivot) {
  Pose result;
  result.world_from_cam = glm::normalize(glm::slerp(from.world_from_cam, to.world_from_cam, t));
  result.focus_distance =
      from.focus_distance * std::pow(to.focus_distance / from.focus_distance, t);
  if (pivot == Pivot::eye) {
    result.eye_world = glm::mix(from.eye_world, to.eye_world, t);
  } else {
    result.eye_world = glm::mix(from.focus_world(), to.focus_world(), t) -
                       result.focus_distance * result.forward();
  }
  return result;
}

bool alike(const Pose& a, const Pose& b) {
  // A hundredth of a pixel in the center of a 4K screen.
  constexpr double kAlike = 1e-5;
  const double distance = std::min(a.focus_distance, b.focus_distance);
  return std::abs(glm::dot(a.world_from_cam, b.world_from_cam)) > 1 - kAlike * kAlike &&
         glm::length(a.eye_world - b.eye_world) < kAlike * distance &&
         std::abs(a.focus_distance - b.focus_distance) < kAlike * distance;
}

glm::dvec3 unprojected(const Camera& camera, const glm::dvec2& px, double depth) {
  const glm::dvec2 slope = (px - camera.center_px) / camera.focal_px;
  return camera.position_world() +
         glm::transpose(camera.cam_from_world) * (depth * glm::dvec3(slope, 1));
}

}  // namespace mote
