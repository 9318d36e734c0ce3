#pragma once

#include <filesystem>
#include <glm/mat4x4.hpp>
#include <optional>
#include <string>

#include "io/datasets/image_finder.h"
#include "io/datasets/posed_images.h"
#include "io/images/image_files.h"

namespace mote {

/// What a reader of cameras wants beside them.
struct TransformsRequest {
  std::optional<ImageSize> fallback_size = {};  // where neither file nor image tells one
  const ImageFinder* finder = nullptr;          // null looks beside the file
  bool images_needed = false;  // then a frame whose image is not found has no `image` and, where
                               // the file does not tell it, a camera of width 0
};

/// A transforms.json: its frames and what it says of points.
struct TransformsFile {
  PosedImages posed;
  std::string point_file;                       // ply_file_path as written; empty where none
  std::optional<glm::dmat4> applied_transform;  // from the reconstruction's space to the frames'
};

/// Reads a transforms.json as NeRF-synthetic, instant-ngp and nerfstudio write it.
///
/// Intrinsics stand at the top or in a frame (the frame's win): `fl_x`, `fl_y`, or the field of
/// view `camera_angle_x`, `camera_angle_y` in radians; `cx`, `cy` (the middle where missing); `w`,
/// `h` (where missing, the size of the frame's image, or else `fallback_size`). The lens is
/// `camera_model` (OPENCV, OPENCV_FISHEYE, ...) or `is_fisheye`, with `k1`..`k6`, `p1`, `p2`,
/// `sx1`, `sy1`. `transform_matrix` is camera to world with OpenGL axes (y up, looking along -z),
/// 3x4 or 4x4, a rotation and a translation. An `applied_transform` is left alone: frames are in
/// the space of the scene trained from them. `train_filenames`, `test_filenames` and
/// `val_filenames` split the frames as nerfstudio does: frames in no list are unused, and those of
/// val beside test. Without a list to train on, the frames in no list are.
///
/// Bare NaN and Infinity, which Python writes, are read as values that are no numbers.
///
/// Frames without a usable pose are left out with a warning; so are those without `file_path` where
/// images are needed. Throws Error naming file, frame and
/// key for anything else that is missing or malformed, and where no usable pose is left.
TransformsFile read_transforms_json(const std::filesystem::path& path,
                                    const TransformsRequest& request = {});

}  // namespace mote
