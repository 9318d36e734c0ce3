#pragma once

#include <glm/mat3x3.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>

namespace mote {

/// A rotation and a translation, camera to world.
struct CameraPose {
  glm::dmat3 world_from_cam{1};
  glm::dvec3 position_world{0};
};

/// The motion of a camera while it takes a photograph: it turns about a fixed axis and moves on a
/// straight line. Relative to the pose of the camera, which belongs to the middle of the image and
/// the middle of the exposure of a pixel.
struct ShutterMotion {
  glm::dvec3 turn_cam{0};   // from the start to the end of the motion: the axis times radians
  glm::dvec3 shift_cam{0};  // from the start to the end, world units
  // Share of the motion from one side of the image to the other, and during a pixel's exposure.
  double by_column = 0, by_row = 0, by_exposure = 0;

  /// The share of the motion between the middle and a point. `image`: 0 to 1 across the image;
  /// `exposure`: 0 to 1.
  double share_at(glm::dvec2 image, double exposure) const {
    return by_column * (image.x - 0.5) + by_row * (image.y - 0.5) + by_exposure * (exposure - 0.5);
  }
  /// The pose after a share of the motion, in the axes of the camera.
  CameraPose pose_cam(double share) const;
};

/// The times of a frame as instant-ngp's `rolling_shutter` gives them: start + by_column * u +
/// by_row * v + by_exposure * random, each from 0 to 1, where the first pose has the time 0 and the
/// second one the time 1.
struct ShutterTimes {
  double start = 0, by_column = 0, by_row = 0, by_exposure = 0;
};

struct MovingPose {
  CameraPose middle;  // of the image and the exposure
  ShutterMotion motion;
};

/// The motion between two poses. Rotations are interpolated spherically, positions linearly.
MovingPose moving_pose(const CameraPose& first, const CameraPose& last, const ShutterTimes& times);

}  // namespace mote
