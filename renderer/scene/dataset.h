#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <glm/vec3.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cameras/camera.h"
#include "core/image.h"

namespace mote {

/// Points of a reconstruction that splats can be initialised from.
struct PointCloud {
  std::vector<glm::dvec3> positions;                // world
  std::vector<std::array<std::uint8_t, 3>> colors;  // r, g, b; same length as positions
  /// When each point was seen, s, on the clock of Photograph::time_s; empty: at all times.
  std::vector<double> times_s = {};
};

/// A physical camera of a dataset that took several photographs.
struct CameraGroup {
  std::string name;
  /// Photograph::time_s minus the time on the camera's own clock, s.
  double clock_offset_s = 0;
  double frames_per_second = 0;  // 0: unknown
};

/// The times of a dataset, all on one clock.
struct DatasetTime {
  double first_s = 0, last_s = 0;  // of its photographs
  double frames_per_second = 0;    // of most cameras; 0: unknown

  bool moves() const { return last_s > first_s; }
  double duration_s() const { return last_s - first_s; }
};

/// One posed photograph as training uses it: undistorted, or with a camera that has a lens, and at
/// training size.
struct Photograph {
  std::string name;             // unique in the dataset, as View::name
  Camera camera;                // for the pixels that PhotoStore returns at level 0
  std::filesystem::path image;  // the original file
  std::filesystem::path mask;   // empty if there is no mask
  double time_s = 0;  // capture time on the dataset's one clock; 0 if the dataset has none
  std::uint64_t pixels_signature = 0;  // depends on the files and on their processing
  // EXIF orientation of the file, which reading corrects; see io/images/orientation.h
  int orientation = 1;
  std::uint32_t camera_group = 0;  // in Dataset::camera_groups, unless that is empty
  /// A PNG of the same shape, white where the scene moves, for evaluation; empty if there is none.
  std::filesystem::path dynamic_mask = {};
  /// An EXR of the same shape with the true velocity of the surface in each pixel, world/s (X, Y,
  /// Z), and V: 1 where it is known; for evaluation. Empty if there is none.
  std::filesystem::path scene_flow = {};
};

/// The view of the photograph, at full size.
inline View view_of(const Photograph& photograph) {
  return {photograph.name, photograph.camera, photograph.time_s};
}

/// Facts of a dataset for radiance fields that are trained on it, in the frame of instant-ngp:
/// field = cycled(scale * world + offset) with cycled(x, y, z) = (y, z, x).
struct FieldHints {
  struct Place {
    double scale = 1;  // above 0
    glm::dvec3 offset{0};
  };
  struct Box {
    glm::vec3 min{0}, max{1};  // field's frame
  };
  std::optional<Place> place = {};
  int aabb_scale = 0;  // side of the field's cube, a power of two; 0: unknown
  std::optional<Box> render_box = {};
  int latents = 0;  // learned numbers of each photograph
};

/// Data other than photographs that a model is trained on (train/fields/field_target.h).
class TrainingTarget {
 public:
  virtual ~TrainingTarget() = default;
  /// A hash of the content.
  virtual std::uint64_t fingerprint() const = 0;
  virtual std::uint64_t memory_bytes() const = 0;
  /// Memory of an evaluation, which may write pictures, beside that of the model.
  virtual std::uint64_t evaluation_bytes(bool /*pictures*/) const { return 0; }

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
  /// The physical cameras, by name; empty if the dataset does not name them.
  std::vector<CameraGroup> camera_groups = {};
  DatasetTime time = {};
  std::shared_ptr<const TrainingTarget> target = {};  // null: photographs
  bool is_linear = false;                             // PhotoPixels are linear light
  bool is_cut_out = false;  // most photographs are transparent around the subject
  FieldHints field_hints = {};
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
