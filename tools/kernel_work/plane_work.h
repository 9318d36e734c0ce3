#pragma once

// Counts the memory accesses of the kernels of HexPlanes (cuda/kernels/fields/hexplane.cu), for
// estimates of their time.

#include <cstddef>

#include "fields/encodings/hexplane_layout.h"
#include "grid_work.h"

namespace mote {

/// Positions on a sphere of radius 0.4 in the middle of the box, as splats on a surface: in Morton
/// order, in which training keeps splats.
Positions shell_positions(std::size_t count);

/// Counts of accesses, each divided by the numbers of places and levels. A sector has 32 bytes.
struct PlaneWork {
  double loaded_sectors = 0;  // different ones of each load of a warp that encodes
  double added_sectors = 0;   // of additions to sums of 8 bytes
  double most_added = 0;      // the same if no place were in a cell of the one before
};

/// All places have the same time, from 0 to 1.
PlaneWork plane_work(const HexPlaneConfig& config, const Positions& places, float time);

}  // namespace mote
