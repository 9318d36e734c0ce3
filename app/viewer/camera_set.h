#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/image.h"
#include "io/dataset_source.h"
#include "io/orientation.h"
#include "scene/camera_path.h"
#include "scene/scene_layout.h"

namespace mote {

/// One photograph of a dataset, or a camera of a run, as the view shows it.
struct ViewMark {
  std::string name = {};
  Camera camera = {};
  bool test = false;
  std::filesystem::path image = {};                   // empty where there is none
  Orientation orientation = 1;                        // that the image is turned upright from
  std::shared_ptr<const Image8> thumbnail = nullptr;  // null until it is decoded
  bool thumbnail_asked = false;
};

/// The cameras of one dataset or run.
struct CameraSet {
  std::uint32_t id = 0;  // of the document that they came with: never used again
  std::string name;      // of the document
  std::filesystem::path source;
  std::vector<ViewMark> views;          // of a dataset: its photographs, in their order
  std::shared_ptr<LoadedDataset> data;  // null for a run's cameras
  double focus_distance = 1;            // how far away they look, world units
  double extent = 1;                    // how far they stand apart, world units
  SceneExtent reach = {};               // the ball about what they look at that holds them all
};

CameraSet cameras_of(std::shared_ptr<LoadedDataset> data);
CameraSet cameras_of(std::span<const View> views);

/// The photograph turned upright, its longer side at most `side_px`, by averaging. Throws Error
/// where the file cannot be read.
Image8 make_thumbnail(const std::filesystem::path& image, Orientation orientation, int side_px);

/// Which way is up by most of the cameras; a unit vector.
glm::dvec3 up_of(const CameraSet& set);

}  // namespace mote
