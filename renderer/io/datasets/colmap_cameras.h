#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

#include "cameras/camera.h"
#include "cameras/lens.h"

namespace mote {

/// A camera of a COLMAP model: size, focal lengths and principal point as a pinhole without a pose,
/// and the lens in front of it.
struct ColmapCamera {
  Camera camera;
  Lens lens;
  std::string model;  // the name of its camera model
  std::string where;  // file and place
};

using ColmapCameras = std::unordered_map<std::uint32_t, ColmapCamera>;  // by id

/// Read cameras.bin and cameras.txt. Throw Error naming file and offset or line for what is
/// damaged, and for a camera model that is no perspective that Mote knows. Bytes behind the last
/// camera are a warning, and so is another number of cameras than the text's head promises.
ColmapCameras read_colmap_cameras_bin(const std::filesystem::path& path,
                                      std::vector<std::string>& warnings);
ColmapCameras read_colmap_cameras_txt(const std::filesystem::path& path,
                                      std::vector<std::string>& warnings);

}  // namespace mote
