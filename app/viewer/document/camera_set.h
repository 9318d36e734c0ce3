#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/image.h"
#include "io/datasets/dataset_source.h"
#include "io/images/orientation.h"
#include "scene/camera_path.h"
#include "scene/scene_layout.h"

namespace mote {

/// One photograph of a dataset, or one camera of a run.
struct ViewMark {
  std::string name = {};
  Camera camera = {};
  bool test = false;
  std::filesystem::path image = {};  // empty if there is none
  Orientation orientation = 1;       // the rotation or mirroring that turns the image upright
  std::shared_ptr<const Image8> thumbnail = nullptr;  // null until it is decoded
  bool thumbnail_requested = false;
};

/// The cameras of one dataset or run.
struct CameraSet {
  std::uint32_t id = 0;  // id of the set's document, never reused
  std::string name;      // of the document
  std::filesystem::path source;
  std::vector<ViewMark> views;          // for a dataset its photographs, in its order
  std::shared_ptr<LoadedDataset> data;  // null for a run's cameras
  double focus_distance = 1;  // distance from the cameras to the point they look at, world units
  double extent = 1;          // spread of the camera positions, world units
  SceneExtent reach = {};     // ball around the point they look at that contains all cameras
};

CameraSet cameras_of(std::shared_ptr<LoadedDataset> data);
CameraSet cameras_of(std::span<const View> views);

/// Returns the upright photograph, averaged down to at most `side_px` on its longer side. Throws
/// Error if the file cannot be read.
Image8 make_thumbnail(const std::filesystem::path& image, Orientation orientation, int side_px);

/// The mean up direction of the cameras, a unit vector.
glm::dvec3 up_of(const CameraSet& set);

}  // namespace mote
