#pragma once

#include <cstdint>
#include <string>

#include "backend/backward_form.h"
#include "splats/kinds/splat_kind.h"

namespace mote {

/// The training that a device's memory must hold.
struct TrainingSize {
  SplatForm splat;
  std::uint64_t pixels = 0;  // pixels in the largest photograph
  BackwardForm backward = BackwardForm::strips;
};

/// Free and required memory of a device with its own memory. A lower bound: the number of
/// splat-tile pairs is known only after rendering.
struct TrainingCapacity {
  std::string device;  // for messages
  std::uint64_t free_bytes = 0;
  std::uint64_t pixels = 0;       // pixels in the largest photograph
  std::uint64_t image_bytes = 0;  // for `pixels`, independent of the number of splats
  std::uint64_t splat_bytes = 0;  // per splat

  std::uint64_t needed_bytes(std::uint64_t splats) const {
    return image_bytes + splats * splat_bytes;
  }
  /// Approximate number of splats that can be trained, with a tenth of the memory reserved for
  /// per-view data; 0 for none.
  std::uint64_t splats_that_fit() const;
  /// Approximate number of pixels that the photographs may have with this many splats, with the
  /// same reserve.
  std::uint64_t pixels_that_fit(std::uint64_t splats) const;
};

/// Keeps the first two digits and sets the others to zero: a number that is easy to type.
std::uint64_t rounded_down(std::uint64_t number);

}  // namespace mote
