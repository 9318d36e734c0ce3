// The field in the middle of all cells of its cube: encoding and network in one kernel.

#include "cuda/kernels/fields/surface_distances.h"

#include "cuda/kernels/fields/field_launch.h"
#include "cuda/runtime/halves.h"

namespace mote::cuda {
namespace {

template <int WIDTH, int FEATURES, bool WEIGHTS_IN_SHARED>
MOTE_KERNEL(kFieldThreads, kFieldBlocks<WEIGHTS_IN_SHARED>)
surface_distances(SurfaceDistanceArgs args) {
  const FieldMemory memory = field_memory<WIDTH, FEATURES, WEIGHTS_IN_SHARED>(args.field);
  const auto across = static_cast<unsigned>(args.cells);
  const unsigned count = across * across * across;
  const unsigned tiles = (count + kTileSamples<WIDTH> - 1) / kTileSamples<WIDTH>;
  const unsigned first_tile = blockIdx.x * kFieldWarps + threadIdx.x / kWarp;
  for (unsigned tile = first_tile; tile < tiles; tile += gridDim.x * kFieldWarps) {
    const unsigned first = tile * kTileSamples<WIDTH>;
    BlockSums<kRows<WIDTH>> outputs;
    evaluate_field<WIDTH, 3, FEATURES>(
        args.field, memory.weights,
        [&](int row, float(&x)[3]) {
          const unsigned cell = first + static_cast<unsigned>(row);
          const float size = 1 / static_cast<float>(across);
          x[0] = (static_cast<float>(cell % across) + 0.5f) * size;
          x[1] = (static_cast<float>(cell / across % across) + 0.5f) * size;
          x[2] = (static_cast<float>(cell / across / across) + 0.5f) * size;
        },
        memory.warp_words, outputs);
    for_each_sum(outputs, [&](float& value, int row, int output) {
      const unsigned cell = first + static_cast<unsigned>(row);
      if (output != 0 || cell >= count) return;
      args.distances[cell] = static_cast<std::uint16_t>(rounded_halves(value, 0) & 0xffffu);
    });
  }
}

}  // namespace

void run_surface_distances(const SurfaceDistanceArgs& args, cudaStream_t stream) {
  const auto across = static_cast<std::size_t>(args.cells);
  launch_field(
      args.field, across * across * across, "distances of cells",
      [&]<int WIDTH, int FEATURES, bool WEIGHTS_IN_SHARED>() {
        return surface_distances<WIDTH, FEATURES, WEIGHTS_IN_SHARED>;
      },
      stream, args);
}

}  // namespace mote::cuda
