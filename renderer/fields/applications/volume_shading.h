#pragma once

// The meaning of a volume's outputs: linear radiance that a place scatters, and a density.

#include "lanes/lane.h"

namespace mote {

/// Extinction per density and length of the field's cube, as in instant-ngp.
inline constexpr float kVolumeExtinction = 100;

/// Extinction of a sample. Networks may give densities below 0.
template <class F>
MOTE_LANE F volume_extinction(F density) {
  return max(density, F(0.0f)) * F(kVolumeExtinction);
}

}  // namespace mote
