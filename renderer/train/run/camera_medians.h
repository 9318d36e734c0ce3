#pragma once

// Where photographs of a camera at rest differ from its median over time: there, something moves.

#include <cstdint>
#include <vector>

#include "core/image.h"
#include "io/datasets/photo_store.h"
#include "scene/dataset.h"

namespace mote {

/// The training photographs of each camera of the dataset, by time. Without names of cameras, all
/// are of one.
std::vector<std::vector<std::uint32_t>> photographs_of_cameras(const Dataset& dataset);

/// Medians over time of the cameras at rest of a moving scene, at coarse levels of photographs.
/// Everything follows from the photographs. The dataset and the store must outlive it. All calls
/// throw Error if a photograph cannot be read.
class CameraMedians {
 public:
  /// The longer side of a coarse level is at most `coarse_side_px`.
  CameraMedians(const Dataset& dataset, PhotoStore& photos, int coarse_side_px = 160);

  /// The coarse level of a photograph.
  int coarse_level(std::uint32_t photograph) const;
  /// The differences of a training photograph from its camera's median at that level, [h][w]: the
  /// largest of its channels, of 255, above the noise. Empty if the camera has no median: it moves,
  /// or has a lens or fewer than eight photographs.
  Image8 differences(std::uint32_t photograph);

 private:
  struct Still {
    bool is_known = false;
    Image8 median;  // empty: there is none
  };

  const Image8& median_of(std::uint32_t group);

  const Dataset& dataset_;
  PhotoStore& photos_;
  int coarse_side_px_;
  std::vector<std::vector<std::uint32_t>> of_cameras_;  // training photographs, by time
  std::vector<Still> still_;                            // by camera group
};

}  // namespace mote
