#include "cuda_host/planted_loads.h"

#include "cuda/runtime/dialect.h"
#include "cuda/runtime/matrices.h"

namespace cuda_host {
namespace {

constexpr unsigned kLanes = 32;

struct FourMatrices {
  alignas(16) std::uint16_t at[4][8][8];
};

/// The row of the lane, of matrices that all lanes copy to shared memory.
MOTE_DEVICE const std::uint16_t* copied_row(const LoadParams& p) {
  auto& shared = mote::cuda::block_shared<FourMatrices>();
  for (unsigned i = threadIdx.x; i < 256; i += kLanes) {
    shared.at[i / 64][i / 8 % 8][i % 8] = p.numbers[i];
  }
  return shared.at[threadIdx.x / 8][threadIdx.x % 8];
}

MOTE_KERNEL(kLanes) load_each_way(LoadParams p) {
  const std::uint16_t* const row = copied_row(p);
  __syncwarp();
  p.plain[threadIdx.x] = mote::cuda::load_matrices(row);
  p.transposed[threadIdx.x] = mote::cuda::load_transposed_matrices(row);
}

MOTE_KERNEL(kLanes) load_without_order(LoadParams p) {
  p.plain[threadIdx.x] = mote::cuda::load_matrices(copied_row(p));
}

MOTE_KERNEL(kLanes) load_from_device_memory(LoadParams p) {
  p.plain[threadIdx.x] = mote::cuda::load_matrices(p.numbers + 8 * threadIdx.x);
}

}  // namespace

const PlantedLoad kLoadEachWay{load_each_way};
const PlantedLoad kLoadWithoutOrder{load_without_order};
const PlantedLoad kLoadFromDeviceMemory{load_from_device_memory};

}  // namespace cuda_host
