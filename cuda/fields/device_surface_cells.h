#pragma once

// The distances of a signed distance field in the cells of its cube, by which pictures save
// evaluations (fields/applications/surface_cells.h).

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "cuda/kernels/fields/surface_distances.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {

class DeviceSurfaceCells {
 public:
  /// Forgets them, since the field has changed.
  void forget() { cells_ = 0; }
  /// Enqueues to find them if those that a picture of `pixels` is worth are not known.
  /// `resolution`: of the field's finest grid.
  void enqueue(const FieldTables& field, std::uint32_t resolution, std::size_t pixels,
               cudaStream_t stream);
  SurfaceCellTables tables();

 private:
  int cells_ = 0;  // per axis; 0: not known
  std::uint32_t most_divided_ = 0;
  DeviceBuffer<std::uint16_t> distances_{"distances of cells"};
  DeviceBuffer<std::uint32_t> first_parts_{"parts of cells"}, divided_cells_{"cells in parts"};
  DeviceBuffer<unsigned> divided_count_{"a count"};
  DeviceBuffer<std::uint16_t> part_distances_{"distances of parts"};
};

}  // namespace mote::cuda
