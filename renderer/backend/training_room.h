#pragma once

#include <cstdint>
#include <string>

#include "backend/backward_form.h"
#include "scene/splat_fields.h"

namespace mote {

/// What is asked of a device's memory before training.
struct TrainingSize {
  int sh_degree = kMaxShDegree;
  std::uint64_t pixels = 0;  // of the largest photograph
  BackwardForm backward = BackwardForm::strips;
};

/// What training finds and takes of a device that has a memory of its own. At least: how many pairs
/// of a splat and a part of the image a view has shows when it is drawn.
struct TrainingRoom {
  std::string device;  // for messages
  std::uint64_t free_bytes = 0;
  std::uint64_t pixels = 0;       // of the largest photograph
  std::uint64_t image_bytes = 0;  // for so many pixels, whatever the number of splats
  std::uint64_t splat_bytes = 0;  // of each

  std::uint64_t needed_bytes(std::uint64_t splats) const {
    return image_bytes + splats * splat_bytes;
  }
  /// About how many splats can be trained, with a tenth left for what only views tell; 0 for none.
  std::uint64_t splats_that_fit() const;
  /// About how many pixels the photographs may have beside so many splats, likewise.
  std::uint64_t pixels_that_fit(std::uint64_t splats) const;
};

/// With zeros behind its first two digits: a number for a person to type.
std::uint64_t rounded_down(std::uint64_t number);

}  // namespace mote
