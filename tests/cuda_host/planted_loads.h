#pragma once

// Kernels that load matrices from shared memory, in order and without.

#include <cuda_runtime.h>

#include <cstdint>

namespace cuda_host {

struct LoadParams {
  const std::uint16_t* numbers;  // four matrices, [4][8][8]
  uint4 *plain, *transposed;     // [32]
};

struct PlantedLoad {
  void (*kernel)(LoadParams);
};

/// Each is launched with a block of 32 threads.
extern const PlantedLoad kLoadEachWay;
extern const PlantedLoad kLoadWithoutOrder;      // a race
extern const PlantedLoad kLoadFromDeviceMemory;  // a fault

}  // namespace cuda_host
