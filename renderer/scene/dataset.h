#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <glm/vec3.hpp>
#include <string>
#include <vector>

#include "cameras/camera.h"
#include "core/image.h"

namespace mote {

/// Points of a reconstruction, to start splats from.
struct PointCloud {
  std::vector<glm::dvec3> positions;                // world
  std::vector<std::array<std::uint8_t, 3>> colors;  // r, g, b; as many as positions
};

/// One posed photograph as training sees it: undistorted and at the size it is trained at.
struct Photograph {
  std::string name;                    // unique in the dataset, as View::name
  Camera camera;                       // pinhole, of the pixels that PhotoStore gives at level 0
  std::filesystem::path image;         // the file as it lies on the disk
  std::filesystem::path mask;          // empty where there is none
  double time_s = 0;                   // of the moment shown; 0 where the dataset says nothing
  std::uint64_t pixels_signature = 0;  // differs where the files or what is made of them do
  int orientation = 1;  // EXIF's, that the image is turned upright from; see io/orientation.h
};

/// Photographs with poses, split into those to train on and those to test with.
struct Dataset {
  std::string source;                      // for a person: what was read, and from where
  std::vector<Photograph> photographs;     // sorted by name
  std::vector<std::uint32_t> train, test;  // numbers of photographs, ascending, disjoint
  PointCloud points;                       // may be empty
  std::vector<std::string> notes;          // for a person: the split, crops, sizes; a phrase each
  std::vector<std::string> warnings;       // a phrase each
};

/// The pixels of a photograph, display-referred, at one level of its pyramid.
struct PhotoPixels {
  Image8 color;  // 3 channels, or 4 with straight (not premultiplied) alpha
  Image8 mask;   // 1 channel: 255 counts in full, 0 does not count; empty where all count
};

/// How many pixels count, a masked one in part.
double total_weight(const PhotoPixels& photo);

/// 1.1 times the largest distance of a training camera from the centroid of them all (world units):
/// what 3DGS calls the scene's extent. At least a small positive number.
double cameras_extent(const Dataset& dataset);

}  // namespace mote
