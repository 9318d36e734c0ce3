#include "cameras/camera_columns.h"

#include <glm/matrix.hpp>
#include <memory>

#include "cameras/shutter_motion.h"

namespace mote {
namespace {

/// The pose of a moving camera in the middle of the first columns, in its axes.
CameraPose pose_of_columns(const Camera& camera, int width) {
  const double share = static_cast<double>(width) / camera.width;
  return camera.motion->pose_cam(camera.motion->by_column * (0.5 * share - 0.5));
}

bool moves_by_column(const Camera& camera) {
  return camera.motion && camera.motion->by_column != 0;
}

}  // namespace

Camera first_columns(const Camera& camera, int width) {
  Camera part = camera;
  part.width = width;
  if (!moves_by_column(camera)) return part;
  const CameraPose middle = pose_of_columns(camera, width);
  const glm::dmat3 turn = glm::transpose(middle.world_from_cam);
  part.cam_from_world = turn * camera.cam_from_world;
  part.translation = turn * (camera.translation - middle.position_world);
  // The axis of the turn is the same in both frames.
  ShutterMotion motion = *camera.motion;
  motion.shift_cam = turn * motion.shift_cam;
  motion.by_column *= static_cast<double>(width) / camera.width;
  part.motion = std::make_shared<const ShutterMotion>(motion);
  return part;
}

Camera with_pose_of_columns(const Camera& camera, int width, const Camera& columns) {
  Camera moved = camera;
  moved.cam_from_world = columns.cam_from_world;
  moved.translation = columns.translation;
  if (!moves_by_column(camera)) return moved;
  const CameraPose middle = pose_of_columns(camera, width);
  moved.cam_from_world = middle.world_from_cam * columns.cam_from_world;
  moved.translation = middle.world_from_cam * columns.translation + middle.position_world;
  return moved;
}

}  // namespace mote
