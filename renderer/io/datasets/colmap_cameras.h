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
/// and its lens.
struct ColmapCamera {
  Camera camera;
  Lens lens;
  std::string model;  // name of the COLMAP camera model
  std::string where;  // file and position
};

using ColmapCameras = std::unordered_map<std::uint32_t, ColmapCamera>;  // by id

/// Read cameras.bin and cameras.txt. Throw Error, which names file and offset or line, for damaged
/// files and for camera models that are not supported perspectives. Bytes after the last camera
/// cause a warning, and so does a number of cameras that differs from the text file's header.
ColmapCameras read_colmap_cameras_bin(const std::filesystem::path& path,
                                      std::vector<std::string>& warnings);
ColmapCameras read_colmap_cameras_txt(const std::filesystem::path& path,
                                      std::vector<std::string>& warnings);

}  // namespace mote
