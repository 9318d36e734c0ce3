#pragma once

// Kernels whose accesses to shared memory have known conflicts of banks.

#include <cuda_runtime.h>

namespace cuda_host {

struct ConflictParams {
  unsigned* out;  // one element for each thread
};

struct PlantedConflict {
  const char* name;
  void (*kernel)(ConflictParams);
  unsigned wavefronts, without_conflicts;
};

/// Each is launched with a block of 32 threads. One access of the warp has the given wavefronts.
extern const PlantedConflict kPlantedConflicts[];
extern const int kPlantedConflictCount;

}  // namespace cuda_host
