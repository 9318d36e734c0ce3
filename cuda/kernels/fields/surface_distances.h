#pragma once

// The distances of a signed distance field in the cells of its cube, and in the parts of those near
// the surface (fields/applications/surface_cells.h).

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "cuda/kernels/fields/field_values.h"

namespace mote::cuda {

/// Arrays on the device. Distances are halves, in the middle of a cell or part.
struct SurfaceCellTables {
  int cells = 0;                            // per axis; 0: no distances are known
  std::uint16_t* distances = nullptr;       // [cells^3], x fastest
  std::uint32_t* first_parts = nullptr;     // [cell_words(cells)]: of each cell, or kNoParts
  std::uint32_t* divided_cells = nullptr;   // [most_divided]
  unsigned* divided_count = nullptr;        // number of cells near the surface
  std::uint32_t most_divided = 0;           // if more cells are near the surface, none has parts
  std::uint16_t* part_distances = nullptr;  // [most_divided * kCellParts], cell by cell
};
/// Words of SurfaceCellTables::first_parts. Those behind the cells are for prefix sums.
std::size_t cell_words(int cells);

/// Writes the arrays for a field of three dimensions.
void run_surface_distances(const FieldTables& field, const SurfaceCellTables& tables,
                           cudaStream_t stream);

}  // namespace mote::cuda
