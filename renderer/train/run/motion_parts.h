#pragma once

// The parts of photographs in which something moves. A moving object fills a small part of a
// photograph, and each moment has few photographs: steps on these parts alone cost a fraction of
// steps on all pixels. As importance sampling of rays by differences to the median over time in
// Neural 3D Video (Li et al. 2022), for rectangles of pixels.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/image.h"
#include "core/random.h"
#include "io/datasets/photo_store.h"
#include "scene/dataset.h"

namespace mote {

/// A rectangle of pixels.
struct PhotoPart {
  int x = 0, y = 0, width = 0, height = 0;
};

/// The camera, and the pixels, of a part of a photograph.
Camera camera_of(const Camera& camera, const PhotoPart& part);
PhotoPixels pixels_of(const PhotoPixels& photo, const PhotoPart& part);

/// The training photographs of each camera of the dataset, by time. Without names of cameras, all
/// are of one.
std::vector<std::vector<std::uint32_t>> photographs_of_cameras(const Dataset& dataset);

/// Draws parts of the photographs of cameras at rest, by their differences to the camera's median
/// over time. Everything follows from the photographs, so that a resumed run needs no state.
class MotionParts {
 public:
  /// Photographs are compared with medians at coarse levels of their pyramids, whose longer side is
  /// at most `coarse_side_px`.
  MotionParts(const Dataset& dataset, PhotoStore& photos, int coarse_side_px = 160);

  /// A part of a training photograph, around a random place where it differs from the median;
  /// `camera`: its camera at the size of the step. Empty where all of the photograph should be
  /// trained: it does not differ, its camera moves or has too few photographs, or it is small.
  /// Throws Error if a photograph cannot be read.
  std::optional<PhotoPart> draw(std::uint32_t photograph, const Camera& camera, Random& random);

  /// The coarse level of a photograph.
  int coarse_level(std::uint32_t photograph) const;
  /// The pixels of a training photograph at that level, [h][w]: 255 where it differs from the
  /// median by more than noise, else 0. Empty where the camera has no median. Throws as draw()
  /// does.
  Image8 differing_pixels(std::uint32_t photograph);

 private:
  struct Still {
    bool is_known = false;
    Image8 median;  // empty: the camera moves, or has too few photographs
  };

  const Image8& median_of(std::uint32_t group);

  const Dataset& dataset_;
  PhotoStore& photos_;
  int coarse_side_px_;
  std::vector<std::vector<std::uint32_t>> of_cameras_;  // training photographs, by time
  std::vector<Still> still_;                            // by camera group
};

}  // namespace mote
