#include "cuda/fields/device_surface_cells.h"

#include "fields/applications/surface_cells.h"

namespace mote::cuda {

void DeviceSurfaceCells::enqueue(const FieldTables& field, std::uint32_t resolution,
                                 std::size_t pixels, cudaStream_t stream) {
  const int cells = surface_cells(resolution, pixels);
  const std::uint32_t most = most_divided_cells(pixels);
  if (cells == 0 || (cells_ > 0 && most <= most_divided_)) return;
  const auto across = static_cast<std::size_t>(cells);
  cells_ = 0;
  most_divided_ = most;
  distances_.resize_discard(across * across * across);
  first_parts_.resize_discard(cell_words(cells));
  divided_cells_.resize_discard(most_divided_);
  divided_count_.resize_discard(1);
  part_distances_.resize_discard(std::size_t{most_divided_} * kCellParts);
  SurfaceCellTables found = tables();
  found.cells = cells;
  run_surface_distances(field, found, stream);
  cells_ = cells;
}

SurfaceCellTables DeviceSurfaceCells::tables() {
  return {.cells = cells_,
          .distances = distances_.data(),
          .first_parts = first_parts_.data(),
          .divided_cells = divided_cells_.data(),
          .divided_count = divided_count_.data(),
          .most_divided = most_divided_,
          .part_distances = part_distances_.data()};
}

}  // namespace mote::cuda
