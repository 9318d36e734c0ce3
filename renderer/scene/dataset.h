#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <glm/vec3.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cameras/camera.h"
#include "core/image.h"

namespace mote {

/// Points of a reconstruction that splats can be initialised from.
struct PointCloud {
  std::vector<glm::dvec3> positions;                // world
  std::vector<std::array<std::uint8_t, 3>> colors;  // r, g, b; same length as positions
};

/// One posed photograph as training uses it: undistorted, or with a camera that has a lens, and at
/// training size.
struct Photograph {
  std::string name;                    // unique in the dataset, as View::name
  Camera camera;                       // for the pixels that PhotoStore returns at level 0
  std::filesystem::path image;         // the original file
  std::filesystem::path mask;          // empty if there is no mask
  double time_s = 0;                   // capture time; 0 if the dataset has none
  std::uint64_t pixels_signature = 0;  // depends on the files and on their processing
  // EXIF orientation of the file, which reading corrects; see io/images/orientation.h
  int orientation = 1;
};

/// The view of the photograph, at full size.
inline View view_of(const Photograph& photograph) {
  return {photograph.name, photograph.camera, photograph.time_s};
}

/// Data other than photographs that a model is trained on (train/fields/field_target.h).
class TrainingTarget {
 public:
  virtual ~TrainingTarget() = default;
  /// A hash of the content.
  virtual std::uint64_t fingerprint() const = 0;
  virtual std::uint64_t memory_bytes() const = 0;

 protected:
  TrainingTarget() = default;
  TrainingTarget(const TrainingTarget&) = default;
  TrainingTarget& operator=(const TrainingTarget&) = default;
};

/// Photographs with poses, split into a training set and a test set; or a target without
/// photographs.
struct Dataset {
  std::string source;                      // for messages: format and path of the dataset
  std::vector<Photograph> photographs;     // sorted by name
  std::vector<std::uint32_t> train, test;  // indices of photographs, ascending, disjoint
  PointCloud points;                       // may be empty
  std::shared_ptr<const TrainingTarget> target = {};  // null: photographs
  bool is_linear = false;                             // PhotoPixels are linear light
  bool is_cut_out = false;            // most photographs are transparent around the subject
  std::vector<std::string> notes;     // for messages: the split, crops, sizes; each a phrase
  std::vector<std::string> warnings;  // one phrase each
};

/// The pixels of a photograph at one level of its pyramid: display-referred colour, or the linear
/// light of a dataset with Dataset::is_linear.
struct PhotoPixels {
  Image8 color = {};      // 3 channels, or 4 with straight (not premultiplied) alpha
  Image8 mask = {};       // 1 channel: 255 full weight, 0 no weight; empty: all pixels count
  ImageLight light = {};  // 3 or 4 channels; `color` is then empty, else this is

  bool is_linear() const { return !light.pixels.empty(); }
  int width() const { return is_linear() ? light.width : color.width; }
  int height() const { return is_linear() ? light.height : color.height; }
  int channels() const { return is_linear() ? light.channels : color.channels; }
};

/// Sum of the mask weights, each 0 to 1: the number of pixels that count.
double total_weight(const PhotoPixels& photo);

/// 1.1 times the largest distance of a training camera from their centroid, world units: the scene
/// extent of 3DGS. At least a small positive number.
double cameras_extent(const Dataset& dataset);

}  // namespace mote
