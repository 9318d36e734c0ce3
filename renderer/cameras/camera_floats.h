#pragma once

namespace mote {

struct Camera;

/// A camera in the form that kernels read: rounded to float, without vector types.
struct CameraFloats {
  float cam_from_world[9];                                    // rows
  float translation[3], position_world[3];                    // world units
  float focal_x, focal_y, center_x, center_y, width, height;  // px
  /// Length of the rows of cam_from_world. If it is not 1, the camera also scales the model:
  /// positions and lengths are in the model's units, depths in the camera's.
  float scale;
};

CameraFloats camera_floats(const Camera& camera);

}  // namespace mote
