#pragma once

// Kernels with planted races, and the same ones put right.

#include <cuda_runtime.h>

namespace cuda_host {

/// What each takes.
struct RaceParams {
  unsigned* cells;
  unsigned* out;
};

using RaceKernel = void (*)(RaceParams);

struct PlantedRace {
  const char* name;
  RaceKernel wrong, right;
};

/// Each is launched with 2 blocks of 64; `cells` and `out` have 128 numbers.
extern const PlantedRace kPlantedRaces[];
extern const int kPlantedRaceCount;

/// Each thread copies its cell to `out`.
extern const RaceKernel kCopyCells;

}  // namespace cuda_host
