#pragma once

// The distances of a signed distance field in the cells of its cube
// (fields/applications/surface_cells.h).

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "cuda/kernels/fields/field_values.h"

namespace mote::cuda {

struct SurfaceDistanceArgs {
  FieldTables field;         // of three dimensions
  int cells;                 // per axis
  std::uint16_t* distances;  // [cells^3] halves in the middle of cells, x fastest; written
};
void run_surface_distances(const SurfaceDistanceArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
