// Fields at given positions: encoding, network and activation in one kernel.

#include "cuda/kernels/fields/field_values.h"

#include "cuda/kernels/fields/field_launch.h"

namespace mote::cuda {
namespace {

template <int WIDTH, int D, int FEATURES, bool WEIGHTS_IN_SHARED>
MOTE_KERNEL(kFieldThreads, kFieldBlocks<WEIGHTS_IN_SHARED>)
field_values(FieldValuesArgs args) {
  const FieldMemory memory = field_memory<WIDTH, FEATURES, WEIGHTS_IN_SHARED>(args.field);
  const unsigned tiles = (args.count + kTileSamples<WIDTH> - 1) / kTileSamples<WIDTH>;
  const unsigned first_tile = blockIdx.x * kFieldWarps + threadIdx.x / kWarp;
  for (unsigned tile = first_tile; tile < tiles; tile += gridDim.x * kFieldWarps) {
    const unsigned first = tile * kTileSamples<WIDTH>;
    BlockSums<kRows<WIDTH>> outputs;
    evaluate_field<WIDTH, D, FEATURES>(
        args.field, memory.weights,
        [&](int row, float(&x)[D]) {
          const unsigned sample = first + static_cast<unsigned>(row);
          MOTE_UNROLL
          for (std::size_t axis = 0; axis < D; ++axis) {
            x[axis] = sample < args.count ? args.positions[axis * args.stride + sample] : 0.0f;
          }
        },
        memory.warp_words, outputs);
    for_each_sum(outputs, [&](float& value, int row, int output) {
      const unsigned sample = first + static_cast<unsigned>(row);
      if (output >= args.field.outputs || sample >= args.count) return;
      args.values[static_cast<std::size_t>(output) * args.stride + sample] = value;
    });
  }
}

}  // namespace

std::size_t field_space(const NetworkShape& shape) {
  if (!is_wide(shape)) return 0;
  return std::size_t{wide_field_blocks()} * kFieldWarps * 2 * wide_layer_lanes(shape);
}

void run_field_values(const FieldValuesArgs& args, cudaStream_t stream) {
  const bool is_plane = args.field.grid.dimensions == 2;
  launch_field(
      args.field, args.count, "evaluating a field",
      [&]<int WIDTH, int FEATURES, bool WEIGHTS_IN_SHARED>() {
        return is_plane ? field_values<WIDTH, 2, FEATURES, WEIGHTS_IN_SHARED>
                        : field_values<WIDTH, 3, FEATURES, WEIGHTS_IN_SHARED>;
      },
      stream, args);
}

}  // namespace mote::cuda
