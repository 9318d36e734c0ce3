#pragma once

// Counts the work of the kernel that follows rays through a NeRF, by running it on the host.

#include "fields/encodings/grid_layout.h"
#include "fields/networks/mlp_layout.h"

namespace mote {

/// Counts for each sample that reaches a pixel.
struct RayWork {
  double samples_of_ray = 0;
  double full = 0;        // share of the lanes that have a sample while the warp evaluates
  double products = 0;    // of a warp: mma.sync.m16n8k16
  double wavefronts = 0;  // of shared memory
  double ray_bytes = 0;   // of global memory, of a whole ray: start, direction, and its pixel
};

/// A ball of fog, of which a picture of width x width pixels is drawn.
RayWork ray_work(const GridConfig& grid, int neurons, int width);

}  // namespace mote
