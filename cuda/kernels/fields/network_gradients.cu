// The backward pass of fully fused networks. A block of threads takes a tile of samples at a time.
// Each warp evaluates its samples and keeps the values of all layers in shared memory. From the
// last layer back, the warps then share out the blocks of the layer's matrix: the gradient of a
// block is the product of the layer's gradients and its inputs over all samples of the tile, which
// load_transposed_matrices() brings into the order of its operands. Sums over tiles stay in the
// block's part of global memory, where its warps find them in the caches.

#include "cuda/kernels/fields/network_gradients.h"

#include <optional>

#include "cuda/kernels/fields/kept_layers.h"
#include "cuda/kernels/fields/layer_network.h"
#include "cuda/kernels/fields/network_launch.h"
#include "cuda/kernels/fields/sample_count.h"
#include "cuda/kernels/fields/weight_products.h"

namespace mote::cuda {
namespace {

constexpr unsigned kMostThreads = 256;
/// Upper bound on the number of parts, so that sums do not depend on the number of multiprocessors.
/// 132 of them take two rounds of 256 blocks with 3 % left over.
constexpr unsigned kMostParts = 256;

/// The gradients before the output activation, as halves.
template <int WIDTH>
MOTE_DEVICE void output_gradients(const NetworkGradientArgs& args, unsigned count,
                                  const uint4* weights, unsigned first_sample,
                                  const Hidden<WIDTH>& values, const KeptLayers<WIDTH>& kept,
                                  LayerValues<kRows<WIDTH>, 1>& d) {
  const NetworkShape& shape = args.forward.shape;
  constexpr int kOwnRows = kRows<WIDTH>;
  BlockSums<kOwnRows> sums;
  load_output_gradients(args, count, first_sample, sums);
  if (shape.output_activation != LayerActivation::none) {
    BlockSums<kOwnRows> arguments;
    block_sums(values, weights + layer_blocks(shape, shape.hidden_layers).first * kBlockLanes,
               arguments);
    output_gradients_before(shape.output_activation, kept.outputs(), arguments, sums);
  }
  MOTE_UNROLL
  for (int row = 0; row < kOwnRows; ++row) {
    d.at[row][0] = rounded_sums(LayerActivation::none, sums.at[row]);
  }
}

/// The gradients of the values of hidden layer `layer`, before its activation if that is simple.
/// `weights`: of the next layer, transposed.
template <int WIDTH, int BLOCKS>
MOTE_DEVICE void layer_gradients(const NetworkShape& shape, const uint4* weights, int layer,
                                 const KeptLayers<WIDTH>& kept,
                                 const LayerValues<kRows<WIDTH>, BLOCKS>& d_next,
                                 Hidden<WIDTH>& d) {
  constexpr int kOwnRows = kRows<WIDTH>, kBlocks = WIDTH / kBlockValues;
  const LayerActivation simple =
      is_simple(shape.activation) ? shape.activation : LayerActivation::none;
  MOTE_UNROLL
  for (int n = 0; n < kBlocks; ++n) {
    BlockSums<kOwnRows> sums;
    block_sums(d_next, weights + n * BLOCKS * kBlockLanes, sums);
    MOTE_UNROLL
    for (int row = 0; row < kOwnRows; ++row) {
      LayerValues<1, 1> own;
      load_values(kept.hidden(layer) + 4 * (row * kBlocks + n) * kWarp, own);
      d.at[row][n] = before_simple(simple, own.at[0][0], sums.at[row]);
    }
  }
}

/// Puts the gradients of a hidden layer in the place of its values, before any activation.
template <int WIDTH>
MOTE_DEVICE void store_gradients(const NetworkShape& shape, const KeptLayers<WIDTH>& kept,
                                 int layer, Hidden<WIDTH>& d) {
  unsigned* const words = kept.hidden(layer);
  store_values(d, words);
  if (is_simple(shape.activation)) return;
  for (int word = 0; word < KeptLayers<WIDTH>::kWords; ++word) {
    const float2 own = __half22float2(halves_of(lane_word(words, word)));
    const float2 x = __half22float2(halves_of(lane_word(kept.arguments(layer), word)));
    lane_word(words, word) = visit_activation(shape.activation, [&]<LayerActivation ACTIVATION>() {
      return rounded_halves(activate_vjp<ACTIVATION>(x.x, activate<ACTIVATION>(x.x), own.x),
                            activate_vjp<ACTIVATION>(x.y, activate<ACTIVATION>(x.y), own.y));
    });
  }
  load_values(words, d);
}

/// Writes the gradients of the features.
template <int WIDTH>
MOTE_DEVICE void store_feature_gradients(const NetworkGradientArgs& args, unsigned count,
                                         const uint4* transposed, unsigned first_sample,
                                         const Hidden<WIDTH>& d) {
  constexpr int kBlocks = WIDTH / kBlockValues;
  const NetworkArgs& forward = args.forward;
  const auto t = static_cast<int>(threadIdx.x % 4);
  const unsigned g = threadIdx.x % kWarp / 4;
  const auto store = [&](int plane, unsigned sample, unsigned word) {
    if (plane >= forward.planes || sample >= count) return;
    args.d_features[static_cast<std::size_t>(plane) * forward.stride + sample] = word;
  };
  for (int block = 0; block < forward.shape.input_blocks; ++block) {
    BlockSums<kRows<WIDTH>> sums;
    block_sums(d, transposed + block * kBlocks * kBlockLanes, sums);
    MOTE_UNROLL
    for (unsigned row = 0; row < kRows<WIDTH>; ++row) {
      const unsigned sample = first_sample + 16 * row + g;
      const uint4 words = rounded_sums(LayerActivation::none, sums.at[row]);
      store(8 * block + t, sample, words.x);
      store(8 * block + t, sample + 8, words.y);
      store(8 * block + 4 + t, sample, words.z);
      store(8 * block + 4 + t, sample + 8, words.w);
    }
  }
}

/// The gradients of one tile. All threads of the block must call.
template <int WIDTH>
MOTE_DEVICE void tile_gradients(const NetworkGradientArgs& args, unsigned count,
                                const uint4* weights, const uint4* transposed,
                                unsigned first_sample, const KeptLayers<WIDTH>& kept, float4* part,
                                bool from_zero) {
  const NetworkShape& shape = args.forward.shape;
  Hidden<WIDTH> values;
  keep_layers<WIDTH>(args.forward, count, weights, first_sample, kept, values);
  LayerValues<kRows<WIDTH>, 1> d_outputs;
  output_gradients<WIDTH>(args, count, weights, first_sample, values, kept, d_outputs);
  store_values(d_outputs, kept.outputs());
  Hidden<WIDTH>& d = values;
  for (int layer = shape.hidden_layers; layer > 0; --layer) {
    const uint4* const own = transposed + layer_blocks(shape, layer).first * kBlockLanes;
    __syncthreads();  // all warps have stored the layer's gradients
    add_weight_products<WIDTH>(shape, layer, kept, part, from_zero);
    Hidden<WIDTH> before;
    if (layer == shape.hidden_layers) {
      layer_gradients<WIDTH, 1>(shape, own, layer - 1, kept, d_outputs, before);
    } else {
      layer_gradients<WIDTH, WIDTH / kBlockValues>(shape, own, layer - 1, kept, d, before);
    }
    d = before;
    __syncthreads();  // all warps have read the layer's inputs
    store_gradients<WIDTH>(shape, kept, layer - 1, d);
  }
  __syncthreads();
  add_weight_products<WIDTH>(shape, 0, kept, part, from_zero);
  if (args.d_features != nullptr) {
    store_feature_gradients<WIDTH>(args, count, transposed, first_sample, d);
  }
  __syncthreads();  // before the next tile
}

/// WEIGHTS_IN_SHARED: both orders of them are in the block's memory.
template <int WIDTH, bool WEIGHTS_IN_SHARED>
MOTE_KERNEL(kMostThreads)
network_gradients(NetworkGradientArgs args) {
  uint4* const shared = dynamic_shared<uint4>();
  const NetworkShape& shape = args.forward.shape;
  const int blocks = network_blocks(shape), lanes = blocks * kBlockLanes;
  if constexpr (WEIGHTS_IN_SHARED) {
    copy_blocks(args.forward.weights, blocks, shared);
    copy_blocks(args.transposed, blocks, shared + lanes);
  }
  const uint4* const weights = WEIGHTS_IN_SHARED ? shared : args.forward.weights;
  const uint4* const transposed = WEIGHTS_IN_SHARED ? shared + lanes : args.transposed;
  const unsigned warp = threadIdx.x / kWarp;
  const int warp_words = layer_words(shape, kRows<WIDTH>).total * kWarp;
  auto* const words = reinterpret_cast<unsigned*>(shared + (WEIGHTS_IN_SHARED ? 2 * lanes : 0));
  const KeptLayers<WIDTH> kept(shape, words + static_cast<int>(warp) * warp_words);
  float4* const part = args.parts + std::size_t{blockIdx.x} * static_cast<std::size_t>(2 * lanes);
  const unsigned tile_samples = blockDim.x / kWarp * kTileSamples<WIDTH>;
  const unsigned count = sample_count(args.forward.count, args.forward.known);
  const unsigned tiles = (count + tile_samples - 1) / tile_samples;
  if (blockIdx.x >= tiles) {
    for (unsigned i = threadIdx.x; i < static_cast<unsigned>(2 * lanes); i += blockDim.x) {
      part[i] = {0, 0, 0, 0};
    }
  }
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    tile_gradients<WIDTH>(args, count, weights, transposed,
                          tile * tile_samples + warp * kTileSamples<WIDTH>, kept, part,
                          tile == blockIdx.x);
  }
}

/// Whether a kernel for the width reads the weights through the caches. That of 16 neurons would
/// need more registers than there are; its matrices are small.
constexpr bool reads_global_weights(int width) {
  return width > 16;
}

/// Memory of a block of threads.
struct GradientBlock {
  unsigned warps, samples;
  std::size_t shared_bytes;
  bool has_weights;  // in shared memory
};

/// The block with the most warps that the device has shared memory for; one with the weights in
/// shared memory comes before one of twice its warps that reads them through the caches. None if a
/// warp's layers do not fit, or hidden layers do not fit its registers.
std::optional<GradientBlock> gradient_block(const NetworkShape& shape) {
  struct Choice {
    unsigned warps;
    bool has_weights;
  };
  if (is_wide(shape)) return {};
  constexpr Choice kChoices[] = {{8, true},  {4, true},  {8, false},
                                 {4, false}, {2, false}, {1, false}};
  const unsigned rows = shape.width_blocks <= 4 ? 2 : 1;
  const std::size_t most = shared_bytes_of_block();
  const std::size_t weights = 2 * kBlock_bytes * static_cast<std::size_t>(network_blocks(shape));
  const std::size_t of_warp =
      sizeof(unsigned) * kWarp *
      static_cast<std::size_t>(layer_words(shape, static_cast<int>(rows)).total);
  for (const Choice& choice : kChoices) {
    if (!choice.has_weights && !reads_global_weights(shape.width_blocks * kBlockValues)) continue;
    const std::size_t bytes = choice.warps * of_warp + (choice.has_weights ? weights : 0);
    if (bytes > most) continue;
    return GradientBlock{choice.warps, choice.warps * 16 * rows, bytes, choice.has_weights};
  }
  return {};
}

}  // namespace

std::size_t network_space(const NetworkShape& shape, unsigned count, LayerUse use) {
  const bool in_one_kernel = (use == LayerUse::values && !is_wide(shape)) ||
                             (use == LayerUse::gradients && gradient_block(shape).has_value());
  return in_one_kernel ? 0 : layer_network_space(shape, count, use);
}

unsigned network_gradient_parts(const NetworkShape& shape, unsigned count) {
  const std::optional<GradientBlock> block = gradient_block(shape);
  if (!block) return layer_network_parts(shape, count);
  return std::min(kMostParts, blocks_for(count, block->samples));
}

void run_network_gradients(const NetworkGradientArgs& args, cudaStream_t stream) {
  const std::optional<GradientBlock> chosen = gradient_block(args.forward.shape);
  if (!chosen) return run_layers_backward(args, stream);
  const GradientBlock& block = *chosen;
  CHECK(block.warps * kWarp <= kMostThreads);
  visit_width(args.forward.shape.width_blocks, [&]<int WIDTH>() {
    auto* kernel = network_gradients<WIDTH, true>;
    if constexpr (reads_global_weights(WIDTH)) {
      if (!block.has_weights) kernel = network_gradients<WIDTH, false>;
    }
    launch(kernel,
           {.blocks = args.part_count,
            .threads = block.warps * kWarp,
            .dynamic_shared_bytes = block.shared_bytes,
            .name = "gradients of a network"},
           stream, args);
  });
}

}  // namespace mote::cuda
