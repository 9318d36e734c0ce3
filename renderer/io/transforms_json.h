#pragma once

#include <filesystem>
#include <optional>

#include "io/image_files.h"
#include "io/view_set.h"

namespace mote {

/// Reads the cameras of a transforms.json as NeRF-synthetic, instant-ngp and nerfstudio write it.
///
/// Intrinsics stand at the top or in a frame (the frame's win): `fl_x`, `fl_y`, or the field of
/// view `camera_angle_x`, `camera_angle_y` in radians; `cx`, `cy` (the middle where missing); `w`,
/// `h` (where missing, the size of the frame's image, or else `fallback_size`). `transform_matrix`
/// is camera to world with OpenGL axes (y up, looking along -z), 3x4 or 4x4, a rotation and a
/// translation. An `applied_transform` is left alone: frames are in the space of the scene trained
/// from them. Lens distortion cannot be rendered by a pinhole and becomes a warning.
///
/// Throws Error naming file, frame and key for anything missing or malformed.
ViewSet read_transforms_json(const std::filesystem::path& path,
                             std::optional<ImageSize> fallback_size = {});

}  // namespace mote
