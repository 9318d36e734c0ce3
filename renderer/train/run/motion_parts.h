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

/// Draws parts of the photographs of cameras at rest, by their differences to the camera's median
/// over time. Everything follows from the photographs, so that a resumed run needs no state.
class MotionParts {
 public:
  MotionParts(const Dataset& dataset, PhotoStore& photos);

  /// A part of a training photograph, around a random place where it differs from the median;
  /// `camera`: its camera at the size of the step. Empty where all of the photograph should be
  /// trained: it does not differ, its camera moves or has too few photographs, or it is small.
  /// Throws Error if a photograph cannot be read.
  std::optional<PhotoPart> draw(std::uint32_t photograph, const Camera& camera, Random& random);

 private:
  struct Still {
    bool is_known = false;
    Image8 median;  // empty: the camera moves, or has too few photographs
  };

  int coarse_level(std::uint32_t photograph) const;
  const Image8& median_of(std::uint32_t group);

  const Dataset& dataset_;
  PhotoStore& photos_;
  std::vector<std::vector<std::uint32_t>> of_cameras_;  // training photographs, by time
  std::vector<Still> still_;                            // by camera group
};

}  // namespace mote
