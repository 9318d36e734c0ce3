#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "cuda/kernels/fields/sample_light.h"
#include "fields/occupancy.h"

namespace mote::cuda {

/// The cells to measure next, as random_cells() or seen_cells() choose them.
struct CellChoiceArgs {
  const float* densities;  // [cascades][kOccupancyCells]
  int cascades;
  bool all;                       // that a camera sees, in place of random ones
  unsigned uniform, occupied;     // numbers for each cascade, see CellCounts
  std::uint64_t seed;             // of the step
  std::uint32_t *slots, *listed;  // [slots], [kOccupancyCells]: space; not for all
  std::uint32_t* scratch;         // [n + sum_blocks_of(n)], n: the slots, at least cells / 64
  unsigned* occupied_count;       // of a cascade: space
  std::uint32_t* cells;           // [slots], or [cells]; written
  unsigned* count;                // written
};
/// Number of cells of all cascades that are chosen, at most.
constexpr unsigned slots_of(int cascades, bool all, unsigned uniform, unsigned occupied) {
  return static_cast<unsigned>(cascades) *
         (all ? static_cast<unsigned>(kOccupancyCells) : uniform + occupied);
}
void run_cell_choice(const CellChoiceArgs& args, cudaStream_t stream);

/// Random places in some of the cells, as positions for an encoding.
struct CellPlaceArgs {
  const std::uint32_t* cells;
  const unsigned* count;    // of all cells
  unsigned first, most;     // of this part
  std::uint64_t seed;       // of places, by the cells' numbers
  float box_min, box_size;  // of the grid's cube
  float* positions;         // [3][stride]
  std::size_t stride;
  unsigned* part_count;  // written
};
void run_cell_places(const CellPlaceArgs& args, cudaStream_t stream);

/// Lets the densities decay, before some are measured.
void run_density_decay(float* densities, int cascades, float decay, cudaStream_t stream);

/// Raises densities to those that were measured.
struct DensityMeasureArgs {
  const std::uint32_t* cells;  // of the part
  const unsigned* count;       // of the part
  unsigned most;
  const float* raw;  // as the network gives them
  SoftDensity soft;
  float* densities;
};
void run_density_measure(const DensityMeasureArgs& args, cudaStream_t stream);

/// The tables that rays read, from the densities, as OccupancyBits makes them.
struct OccupancyBitArgs {
  const float* densities;
  int cascades;
  std::uint64_t *words, *blocks;
  std::uint8_t* codes;
  float* threshold;  // space
  OccupiedBox* box;
};
void run_occupancy_bits(const OccupancyBitArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
