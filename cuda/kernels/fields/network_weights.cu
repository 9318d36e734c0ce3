// Weights of a network into the order of tensor cores, and their gradients out of it.

#include "cuda/kernels/fields/network_weights.h"

#include "core/error.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/halves.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = 128;

/// The matrix of a layer in the layout: [outputs][inputs].
struct LayerPlace {
  std::size_t first;
  int inputs, outputs;
};

MOTE_DEVICE LayerPlace layer_place(const NetworkShape& shape, int padded_inputs, int layer) {
  const auto width = static_cast<std::size_t>(shape.neurons);
  if (layer == 0) return {0, padded_inputs, shape.neurons};
  const std::size_t first = width * static_cast<std::size_t>(padded_inputs);
  return {first + static_cast<std::size_t>(layer - 1) * width * width, shape.neurons,
          layer == shape.hidden_layers ? kBlockValues : shape.neurons};
}

MOTE_DEVICE float weight_at(const NetworkWeightsArgs& args, int layer, int output, int input) {
  if (layer == 0 && args.grid_features > 0) input = lane_order_input(args.grid_features, input);
  const LayerPlace place = layer_place(args.shape, args.padded_inputs, layer);
  if (input >= place.inputs || output >= place.outputs) return 0;
  return args.weights[place.first + static_cast<std::size_t>(output * place.inputs + input)];
}

/// Calls visit(layer, row, column, lane) for the thread's lane of a block: row and column of the
/// block, of a matrix with [outputs][inputs] blocks.
template <class Visit>
MOTE_DEVICE void visit_block(const NetworkShape& shape, bool transposed, const Visit& visit) {
  const int lanes = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int block = lanes / kBlockLanes;
  if (block >= network_blocks(shape)) return;
  const int layer = layer_of_block(shape, block);
  const LayerBlocks blocks = layer_blocks(shape, layer);
  const int columns = transposed ? blocks.outputs : blocks.inputs;
  const int in_layer = block - blocks.first;
  visit(layer, in_layer / columns, in_layer % columns, lanes % kBlockLanes);
}

MOTE_KERNEL(kThreads) arrange_weights(NetworkWeightsArgs args, bool transposed) {
  visit_block(args.shape, transposed, [&](int layer, int row, int column, int lane) {
    const int g = lane / 4, t = lane % 4;
    unsigned words[4];
    MOTE_UNROLL
    for (int word = 0; word < 4; ++word) {
      const int n = kBlockValues * row + 8 * (word / 2) + g;
      const int k = kBlockValues * column + 8 * (word % 2) + 2 * t;
      words[word] =
          transposed
              ? rounded_halves(weight_at(args, layer, k, n), weight_at(args, layer, k + 1, n))
              : rounded_halves(weight_at(args, layer, n, k), weight_at(args, layer, n, k + 1));
    }
    uint4* const to = transposed ? args.transposed : args.blocks;
    to[blockIdx.x * kThreads + threadIdx.x] = {words[0], words[1], words[2], words[3]};
  });
}

MOTE_KERNEL(kThreads) add_weight_gradients(WeightGradientArgs args) {
  visit_block(args.shape, false, [&](int layer, int row, int column, int lane) {
    const auto lanes = static_cast<std::size_t>(network_blocks(args.shape) * kBlockLanes);
    const std::size_t own = blockIdx.x * kThreads + threadIdx.x;
    const std::size_t first = own / kBlockLanes * (2 * kBlockLanes) + own % kBlockLanes;
    const LayerPlace place = layer_place(args.shape, args.padded_inputs, layer);
    MOTE_UNROLL
    for (int half = 0; half < 2; ++half) {
      float4 sum{0, 0, 0, 0};
      for (std::size_t part = 0; part < args.part_count; ++part) {
        const float4 more =
            args.parts[part * 2 * lanes + first + static_cast<std::size_t>(half * kBlockLanes)];
        sum = {sum.x + more.x, sum.y + more.y, sum.z + more.z, sum.w + more.w};
      }
      const int output = kBlockValues * row + lane / 4;
      const int input = kBlockValues * column + 8 * half + lane % 4 * 2;
      // Numbers of inputs are even.
      if (input >= place.inputs || output >= place.outputs) continue;
      float* const upper =
          args.gradients + place.first + static_cast<std::size_t>(output * place.inputs + input);
      upper[0] = sum.x / args.loss_scale;
      upper[1] = sum.y / args.loss_scale;
      if (output + 8 >= place.outputs) continue;
      float* const lower = upper + 8 * place.inputs;
      lower[0] = sum.z / args.loss_scale;
      lower[1] = sum.w / args.loss_scale;
    }
  });
}

LaunchShape shape_for(const NetworkShape& shape, const char* name) {
  const auto lanes = static_cast<std::size_t>(network_blocks(shape) * kBlockLanes);
  return {.blocks = blocks_for(lanes, kThreads), .threads = kThreads, .name = name};
}

}  // namespace

void run_network_weights(const NetworkWeightsArgs& args, cudaStream_t stream) {
  launch(arrange_weights, shape_for(args.shape, "weights of a network"), stream, args, false);
  if (args.transposed == nullptr) return;
  launch(arrange_weights, shape_for(args.shape, "weights of a network"), stream, args, true);
}

void run_weight_gradients(const WeightGradientArgs& args, cudaStream_t stream) {
  launch(add_weight_gradients, shape_for(args.shape, "gradients of weights"), stream, args);
}

}  // namespace mote::cuda
