#pragma once

namespace mote {

struct Camera;

/// A camera in the form that kernels read: rounded to float, without vector types.
struct CameraFloats {
  float cam_from_world[9];                                    // rows
  float translation[3], position_world[3];                    // world units
  float focal_x, focal_y, center_x, center_y, width, height;  // px
  /// Length of the rows of cam_from_world. Above or below 1, the kernels see a model through a
  /// camera that also scales it: its positions and lengths are in the model's units, depths in the
  /// camera's.
  float scale;
};

CameraFloats camera_floats(const Camera& camera);

}  // namespace mote
