#pragma once

// Kernels with planted races, and their corrected versions.

#include <cuda_runtime.h>

namespace cuda_host {

/// Parameters of each kernel.
struct RaceParams {
  unsigned* cells;
  unsigned* out;
};

using RaceKernel = void (*)(RaceParams);

struct PlantedRace {
  const char* name;
  RaceKernel wrong, right;
};

/// Each is launched with 2 blocks of 64 threads; `cells` and `out` have 128 elements.
extern const PlantedRace kPlantedRaces[];
extern const int kPlantedRaceCount;

/// Each thread copies its cell to `out`.
extern const RaceKernel kCopyCells;

/// The first half of the threads copies pairs of cells by loads of 8 bytes.
extern const RaceKernel kCopyPairs;

/// Each thread copies its word of shared memory, which nothing has written, to `out`.
extern const RaceKernel kCopyShared;

}  // namespace cuda_host
