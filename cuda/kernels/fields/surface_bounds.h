#pragma once

// Lower bounds on the distances of a signed distance field, in the cells of its cube, by which rays
// pass the space around the surface without evaluating the field.

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "cuda/kernels/fields/field_values.h"

namespace mote::cuda {

struct SurfaceBoundArgs {
  FieldTables field;      // of three dimensions
  int cells;              // per axis
  std::uint16_t* bounds;  // [cells^3] halves, x fastest; written
};
void run_surface_bounds(const SurfaceBoundArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
