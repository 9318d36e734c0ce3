// Fully fused networks: all layers of a sample by one warp, whose values stay in registers (T.
// Müller et al., "Real-time neural radiance caching for path tracing", 2021, has the idea). The
// blocks of threads go through all tiles, so that each loads the weights once. Wider networks than
// registers hold are evaluated layer by layer (layer_network.h).

#include "cuda/kernels/fields/network_forward.h"

#include <algorithm>
#include <bit>

#include "cuda/kernels/fields/layer_network.h"
#include "cuda/kernels/fields/network_launch.h"
#include "cuda/kernels/fields/network_layers.h"
#include "cuda/kernels/fields/sample_count.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = 256, kWarps = kThreads / kWarp;
constexpr unsigned kResidentBlocks = 2;  // of a multiprocessor, which 128 registers allow

/// The pair of inputs that is word `plane` of a sample.
MOTE_DEVICE unsigned input_pair(const NetworkArgs& args, unsigned count, int plane,
                                unsigned sample) {
  if (plane >= args.planes || sample >= count) return 0;
  return args.features[static_cast<std::size_t>(plane) * args.stride + sample];
}

/// WEIGHTS_IN_SHARED: of the block's memory; else they are read through the caches.
template <int WIDTH, bool WEIGHTS_IN_SHARED>
MOTE_KERNEL(kThreads, kResidentBlocks)
network_forward(NetworkArgs args) {
  uint4* const shared = dynamic_shared<uint4>();
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const int blocks = network_blocks(args.shape);
  if constexpr (WEIGHTS_IN_SHARED) copy_blocks(args.weights, blocks, shared);
  const uint4* const weights = WEIGHTS_IN_SHARED ? shared : args.weights;
  unsigned* const words =
      reinterpret_cast<unsigned*>(shared + (WEIGHTS_IN_SHARED ? blocks * kBlockLanes : 0)) +
      warp * kActivationWords<WIDTH> * kWarp;
  const unsigned count = sample_count(args.count, args.known);
  const unsigned tiles = (count + kTileSamples<WIDTH> - 1) / kTileSamples<WIDTH>;
  for (unsigned tile = blockIdx.x * kWarps + warp; tile < tiles; tile += gridDim.x * kWarps) {
    const unsigned first = tile * kTileSamples<WIDTH>;
    BlockSums<kRows<WIDTH>> outputs;
    evaluate_network<WIDTH>(
        args.shape, weights,
        [&](int block, uint4(&in)[kRows<WIDTH>]) {
          const int plane = 8 * block + static_cast<int>(lane % 4);
          MOTE_UNROLL
          for (unsigned row = 0; row < kRows<WIDTH>; ++row) {
            const unsigned sample = first + 16 * row + lane / 4;
            in[row] = {input_pair(args, count, plane, sample),
                       input_pair(args, count, plane, sample + 8),
                       input_pair(args, count, plane + 4, sample),
                       input_pair(args, count, plane + 4, sample + 8)};
          }
        },
        words, outputs);
    for_each_sum(outputs, [&](float& value, int row, int output) {
      const unsigned sample = first + static_cast<unsigned>(row);
      if (output >= args.outputs || sample >= count) return;
      args.values[static_cast<std::size_t>(output) * args.stride + sample] = value;
    });
  }
}

}  // namespace

NetworkShape network_shape(const MlpConfig& config, int input_blocks) {
  CHECK(config.outputs <= kBlockValues);
  const int width = config.neurons <= kMostFusedNeurons
                        ? static_cast<int>(std::bit_ceil(
                              static_cast<unsigned>(std::max(config.neurons, kBlockValues))))
                        : mlp_padded(config.neurons);
  return {.width_blocks = width / kBlockValues,
          .neurons = config.neurons,
          .input_blocks = input_blocks,
          .hidden_layers = config.hidden_layers,
          .activation = config.activation,
          .output_activation = config.output_activation};
}

void run_network_forward(const NetworkArgs& args, cudaStream_t stream) {
  if (is_wide(args.shape)) return run_layers_forward(args, stream);
  visit_width(args.shape.width_blocks, [&]<int WIDTH>() {
    const std::size_t own =
        needs_activation_words(args.shape) ? sizeof(unsigned) * kActivationWords<WIDTH> * kWarp : 0;
    const NetworkMemory memory = network_memory(network_blocks(args.shape), kWarps, own);
    const unsigned tiles = blocks_for(args.count, kTileSamples<WIDTH>);
    launch(memory.has_weights ? network_forward<WIDTH, true> : network_forward<WIDTH, false>,
           {.blocks = std::min(blocks_for(tiles, kWarps), multiprocessors() * kResidentBlocks),
            .threads = kThreads,
            .dynamic_shared_bytes = memory.block_bytes,
            .name = "evaluating a network"},
           stream, args);
  });
}

}  // namespace mote::cuda
