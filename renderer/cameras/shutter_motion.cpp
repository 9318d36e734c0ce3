#include "cameras/shutter_motion.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/matrix.hpp>

namespace mote {
namespace {

/// The rotation about an axis by the length of `turn`, radians.
glm::dmat3 rotation_of(glm::dvec3 turn) {
  const double angle = glm::length(turn);
  if (angle == 0) return glm::dmat3(1);
  return glm::mat3_cast(glm::angleAxis(angle, turn / angle));
}

/// The inverse of rotation_of(), at most half a turn.
glm::dvec3 turn_of(const glm::dmat3& rotation) {
  glm::dquat q = glm::quat_cast(rotation);
  if (q.w < 0) q = -q;
  const glm::dvec3 axis(q.x, q.y, q.z);
  const double sine = glm::length(axis);
  return sine > 0 ? axis * (2 * std::atan2(sine, q.w) / sine) : glm::dvec3(0);
}

}  // namespace

CameraPose ShutterMotion::pose_cam(double share) const {
  return {rotation_of(share * turn_cam), share * shift_cam};
}

MovingPose moving_pose(const CameraPose& first, const CameraPose& last, const ShutterTimes& times) {
  const double middle = times.start + 0.5 * (times.by_column + times.by_row + times.by_exposure);
  const glm::dvec3 turn = turn_of(glm::transpose(first.world_from_cam) * last.world_from_cam);
  const glm::dvec3 shift = last.position_world - first.position_world;
  MovingPose result;
  result.middle = {first.world_from_cam * rotation_of(middle * turn),
                   first.position_world + middle * shift};
  result.motion = {.turn_cam = turn,
                   .shift_cam = glm::transpose(result.middle.world_from_cam) * shift,
                   .by_column = times.by_column,
                   .by_row = times.by_row,
                   .by_exposure = times.by_exposure};
  return result;
}

}  // namespace mote
