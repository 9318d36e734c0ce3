#pragma once

// The parts of photographs in which something moves. A moving object fills a small part of a
// photograph, and each moment has few photographs: steps on these parts alone cost a fraction of
// steps on all pixels. As importance sampling of rays by differences to the median over time in
// Neural 3D Video (Li et al. 2022), for rectangles of pixels.

#include <cstdint>
#include <optional>

#include "core/random.h"
#include "scene/dataset.h"
#include "train/run/camera_medians.h"

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
  MotionParts(const Dataset& dataset, PhotoStore& photos) : medians_(dataset, photos) {}

  /// A part of a training photograph, around a random place where it differs from the median;
  /// `camera`: its camera at the size of the step. Empty where all of the photograph should be
  /// trained: it does not differ, its camera has no median, or it is small. Throws Error if a
  /// photograph cannot be read.
  std::optional<PhotoPart> draw(std::uint32_t photograph, const Camera& camera, Random& random);

 private:
  CameraMedians medians_;
};

}  // namespace mote
