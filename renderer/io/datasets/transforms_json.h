#pragma once

#include <filesystem>
#include <glm/mat4x4.hpp>
#include <optional>
#include <string>
#include <vector>

#include "io/datasets/image_finder.h"
#include "io/datasets/posed_images.h"
#include "io/datasets/time_clip.h"
#include "io/datasets/transforms_hints.h"
#include "io/images/image_files.h"
#include "scene/dataset.h"

namespace mote {

/// Settings of the reader.
struct TransformsRequest {
  std::optional<ImageSize> fallback_size = {};  // if neither file nor image has one
  const ImageFinder* finder = nullptr;          // null: search beside the file
  bool images_needed = false;  // true: without the image's file, a frame has an empty `image`,
                               // and width 0 if the transforms file gives no size
  /// The rate of frames with times from 0 to 1 or none, and of numbered images; 0: unknown.
  double frames_per_second = 0;
  std::optional<TimeClip> clip = {};  // keeps the images of these times; for read_cameras()
};

/// The frames of a transforms.json and its data about points.
struct TransformsFile {
  PosedImages posed;
  std::string point_file;                       // ply_file_path as written; empty: none
  std::optional<glm::dmat4> applied_transform;  // from the reconstruction's space to the frames'
  FieldHints field_hints = {};
  std::vector<FileSharpness> sharpness = {};  // of each file; for leave_out_blurred()
  bool in_seconds = false;                    // the file says so of its times; see set_seconds()
};

/// Reads a transforms.json of NeRF-synthetic, instant-ngp or nerfstudio.
///
/// Intrinsics are at the top or in a frame, which takes precedence: `fl_x`, `fl_y`, or the field of
/// view `camera_angle_x`, `camera_angle_y` in radians; `cx`, `cy` (default: the middle); `w`, `h`
/// (default: the size of the frame's image, then `fallback_size`). The lens is `camera_model`
/// (OPENCV, OPENCV_FISHEYE, EQUIRECTANGULAR, ...) or `is_fisheye`, with `k1`..`k6`, `p1`, `p2`,
/// `sx1`, `sy1`; or `latlong` or `equirectangular` of instant-ngp. Panoramas need no intrinsics.
/// `rolling_shutter` [a, b, c, d] with `transform_matrix_start` and `transform_matrix_end` is that
/// of instant-ngp: a point (u, v) of the image, 0 to 1, is taken at the time a + b u + c v + d
/// times a random number, from 0 at the first pose to 1 at the last. `transform_matrix` is camera
/// to world with OpenGL axes (y up, looking along -z), 3x4 or 4x4, a rotation and a translation. An
/// `applied_transform` is not applied: frames are in the space of the scene trained from them.
/// `train_filenames`, `test_filenames` and `val_filenames` split the frames as in nerfstudio:
/// frames in no list are unused, and val frames are unused if there are test frames. Without a
/// training list, the frames in no list are for training.
///
/// `time` is the moment of a frame of a moving scene, as in D-NeRF; `camera_name`,
/// `clock_offset_s`, `frames_per_second`, `dynamic_mask_path` and `scene_flow_path` are Mote's own
/// keys. If only some frames have a time, the others get their place in the file, from 0 to 1, with
/// a warning.
///
/// `sharpness` of the frames with `sharpness_discard_threshold`, `white_transparent`,
/// `black_transparent`, `from_mitsuba` and masks "dynamic_mask_NAME.png" beside the images are
/// those of instant-ngp; so are the keys of TransformsFile::field_hints. Blurred frames are read
/// like others, since moments are counted with them. `x_fov` and `y_fov` are fields of view in
/// degrees, and come before `fl_x` and `fl_y`.
///
/// Bare NaN and Infinity, which Python writes, are read as non-numbers.
///
/// Frames without a usable pose are left out with a warning, and so are those without `file_path`
/// where images are needed. Throws Error, which names file, frame and key, for anything else that
/// is missing or malformed, and where no usable pose is left.
TransformsFile read_transforms_json(const std::filesystem::path& path,
                                    const TransformsRequest& request = {});

/// Converts times that run from 0 to 1 to seconds: by the rate of frames, if it is known, otherwise
/// as one second. Without any time, frames with a known rate follow each other. Adds a note.
/// `files`: number of transforms files that the frames are from.
void set_seconds(TransformsFile& transforms, double frames_per_second, std::size_t files);

}  // namespace mote
