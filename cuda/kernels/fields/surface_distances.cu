// The field in the middle of all cells of its cube, then of the parts of those near the surface:
// encoding and network in one kernel.

#include "cuda/kernels/fields/surface_distances.h"

#include "cuda/kernels/fields/field_launch.h"
#include "cuda/kernels/fields/prefix_sums.h"
#include "cuda/runtime/halves.h"
#include "fields/applications/surface_cells.h"

namespace mote::cuda {
namespace {

constexpr unsigned kCellThreads = 256;

struct SurfaceDistanceArgs {
  FieldTables field;
  SurfaceCellTables tables;
  bool of_parts;  // else of cells
};

MOTE_DEVICE unsigned cells_in(const SurfaceCellTables& tables) {
  const auto across = static_cast<unsigned>(tables.cells);
  return across * across * across;
}

/// The place of a distance that is wanted.
MOTE_DEVICE Vec3<float> wanted_place(const SurfaceDistanceArgs& args, unsigned at) {
  const auto across = static_cast<unsigned>(args.tables.cells);
  if (!args.of_parts) return middle_of_cell(at, across);
  return middle_of_part({args.tables.divided_cells[at / kCellParts], at % kCellParts}, across);
}

template <int WIDTH, int FEATURES, bool WEIGHTS_IN_SHARED>
MOTE_KERNEL(kFieldThreads, kFieldBlocks<WEIGHTS_IN_SHARED>)
surface_distances(SurfaceDistanceArgs args) {
  const FieldMemory memory = field_memory<WIDTH, FEATURES, WEIGHTS_IN_SHARED>(args.field);
  const unsigned divided = args.of_parts ? *args.tables.divided_count : 0;
  const unsigned parts = divided > args.tables.most_divided ? 0 : divided * kCellParts;
  const unsigned count = args.of_parts ? parts : cells_in(args.tables);
  std::uint16_t* const to = args.of_parts ? args.tables.part_distances : args.tables.distances;
  const unsigned tiles = (count + kTileSamples<WIDTH> - 1) / kTileSamples<WIDTH>;
  const unsigned first_tile = blockIdx.x * kFieldWarps + threadIdx.x / kWarp;
  for (unsigned tile = first_tile; tile < tiles; tile += gridDim.x * kFieldWarps) {
    const unsigned first = tile * kTileSamples<WIDTH>;
    BlockSums<kRows<WIDTH>> outputs;
    evaluate_field<WIDTH, 3, FEATURES>(
        args.field, memory.weights,
        [&](int row, float(&x)[3]) {
          const unsigned at = first + static_cast<unsigned>(row);
          const Vec3<float> place = wanted_place(args, at < count ? at : first);
          x[0] = place.x;
          x[1] = place.y;
          x[2] = place.z;
        },
        memory.warp_words, outputs);
    for_each_sum(outputs, [&](float& value, int row, int output) {
      const unsigned at = first + static_cast<unsigned>(row);
      if (output != 0 || at >= count) return;
      to[at] = static_cast<std::uint16_t>(rounded_halves(value, 0) & 0xffffu);
    });
  }
}

MOTE_DEVICE bool is_divided(const SurfaceCellTables& tables, unsigned cell) {
  const float distance = __low2float(halves_of(tables.distances[cell]));
  return is_near_surface(distance, static_cast<float>(tables.cells));
}

/// Writes 1 for each cell near the surface, which prefix sums number.
MOTE_KERNEL(kCellThreads) mark_divided_cells(SurfaceCellTables tables) {
  const unsigned cell = blockIdx.x * kCellThreads + threadIdx.x;
  if (cell < cells_in(tables)) tables.first_parts[cell] = is_divided(tables, cell) ? 1 : 0;
}

/// Writes the first part of each cell, and lists the cells that have parts.
MOTE_KERNEL(kCellThreads) list_divided_cells(SurfaceCellTables tables) {
  const unsigned cell = blockIdx.x * kCellThreads + threadIdx.x, count = cells_in(tables);
  if (cell >= count) return;
  const bool has_parts = *tables.divided_count <= tables.most_divided && is_divided(tables, cell);
  const std::uint32_t number = sum_before(tables.first_parts, count, cell);
  tables.first_parts[cell] = has_parts ? number * kCellParts : kNoParts;
  if (has_parts) tables.divided_cells[number] = cell;
}

void enqueue_distances(const FieldTables& field, const SurfaceCellTables& tables, bool of_parts,
                       std::size_t most, cudaStream_t stream) {
  launch_field(
      field, most, "distances of cells",
      [&]<int WIDTH, int FEATURES, bool WEIGHTS_IN_SHARED>() {
        return surface_distances<WIDTH, FEATURES, WEIGHTS_IN_SHARED>;
      },
      stream, SurfaceDistanceArgs{field, tables, of_parts});
}

unsigned cell_count(int cells) {
  const auto across = static_cast<unsigned>(cells);
  return across * across * across;
}

}  // namespace

std::size_t cell_words(int cells) {
  const unsigned count = cell_count(cells);
  return std::size_t{count} + sum_blocks_of(count);
}

void run_surface_distances(const FieldTables& field, const SurfaceCellTables& tables,
                           cudaStream_t stream) {
  const unsigned count = cell_count(tables.cells), blocks = blocks_for(count, kCellThreads);
  enqueue_distances(field, tables, false, count, stream);
  launch(mark_divided_cells, {.blocks = blocks, .threads = kCellThreads, .name = "cells in parts"},
         stream, tables);
  run_prefix_sums(tables.first_parts, count, tables.divided_count, stream);
  launch(list_divided_cells, {.blocks = blocks, .threads = kCellThreads, .name = "cells in parts"},
         stream, tables);
  enqueue_distances(field, tables, true, std::size_t{tables.most_divided} * kCellParts, stream);
}

}  // namespace mote::cuda
