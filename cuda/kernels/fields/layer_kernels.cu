#include "cuda/kernels/fields/layer_kernels.h"

#include "cuda/kernels/fields/layer_products.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = 256, kWarps = kThreads / kWarp;

/// The place of the thread's lane in a layer of `blocks`; not there for threads beyond it.
struct LanePlace {
  int row, block, lane;
  bool is_there;
};

MOTE_DEVICE LanePlace lane_place(const SampleGroup& group, int blocks) {
  const unsigned own = blockIdx.x * kThreads + threadIdx.x;
  const auto block = static_cast<int>(own / kBlockLanes);
  const int row = block / blocks;
  return {row, block % blocks, static_cast<int>(own % kBlockLanes), row < rows_of(group)};
}

/// Calls visit(plane, sample, word) for the words of a lane's pairs of inputs.
template <class Visit>
MOTE_DEVICE void for_each_pair(const SampleGroup& group, const LanePlace& at, const Visit& visit) {
  const int g = at.lane / 4, t = at.lane % 4;
  MOTE_UNROLL
  for (int word = 0; word < 4; ++word) {
    const int sample = kBlockValues * at.row + g + 8 * (word % 2);
    visit(8 * at.block + t + 4 * (word / 2), group.first + static_cast<unsigned>(sample), word);
  }
}

MOTE_KERNEL(kThreads) arrange_inputs(NetworkArgs args, SampleGroup group, uint4* inputs) {
  const LanePlace at = lane_place(group, args.shape.input_blocks);
  if (!at.is_there) return;
  const unsigned end = group.first + samples_of(group);
  unsigned words[4];
  for_each_pair(group, at, [&](int plane, unsigned sample, int word) {
    const std::size_t place = static_cast<std::size_t>(plane) * args.stride + sample;
    words[word] = plane < args.planes && sample < end ? args.features[place] : 0;
  });
  const auto block = static_cast<std::size_t>(at.row * args.shape.input_blocks + at.block);
  store_block({words[0], words[1], words[2], words[3]}, inputs + block * kBlockLanes);
}

MOTE_KERNEL(kThreads)
store_input_gradients(NetworkGradientArgs args, SampleGroup group, const uint4* d) {
  const NetworkArgs& forward = args.forward;
  const LanePlace at = lane_place(group, forward.shape.input_blocks);
  if (!at.is_there) return;
  const unsigned end = group.first + samples_of(group);
  const auto block = static_cast<std::size_t>(at.row * forward.shape.input_blocks + at.block);
  const uint4 own = block_words(d + block * kBlockLanes);
  const unsigned words[4] = {own.x, own.y, own.z, own.w};
  for_each_pair(group, at, [&](int plane, unsigned sample, int word) {
    if (plane >= forward.planes || sample >= end) return;
    args.d_features[static_cast<std::size_t>(plane) * forward.stride + sample] = words[word];
  });
}

MOTE_KERNEL(kProductThreads) multiply_layer(LayerProductArgs args, SampleGroup group) {
  const int across = (args.outputs + kSideBlocks - 1) / kSideBlocks;
  const int first_row = static_cast<int>(blockIdx.x) / across * kSideBlocks;
  const int first_column = static_cast<int>(blockIdx.x) % across * kSideBlocks;
  if (first_row >= rows_of(group)) return;
  const auto inputs = static_cast<std::size_t>(args.inputs);
  TileSums sums;
  multiply_tile<false>({args.values, inputs, 1, first_row, first_row + kSideBlocks},
                       {args.weights, inputs, 1, first_column, args.outputs}, 0, args.inputs, sums);
  for_each_tile_block(sums, [&](const float4(&own)[2], int row, int column) {
    if (first_column + column >= args.outputs) return;
    const std::size_t lanes =
        static_cast<std::size_t>((first_row + row) * args.outputs + first_column + column) *
        kBlockLanes;
    store_block(args.behind == nullptr
                    ? rounded_sums(args.activation, own)
                    : before_simple(args.activation, block_words(args.behind + lanes), own),
                args.results + lanes);
  });
}

struct LayerActivationArgs {
  SampleGroup group;
  int blocks;                  // of the layer
  LayerActivation activation;  // one that is not simple
  const uint4* arguments;
  uint4* results;      // values after the activation
  bool are_gradients;  // results are gradients before it, in place of those after it
};

MOTE_KERNEL(kThreads) activate_layer(LayerActivationArgs args) {
  if (!lane_place(args.group, args.blocks).is_there) return;
  const std::size_t own = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  const unsigned* const from = &args.arguments[own].x;
  unsigned* const to = &args.results[own].x;
  for (int word = 0; word < 4; ++word) {
    const float2 x = __half22float2(halves_of(from[word]));
    const float2 d = __half22float2(halves_of(args.are_gradients ? to[word] : 0u));
    to[word] = visit_activation(args.activation, [&]<LayerActivation ACTIVATION>() {
      const float low = activate<ACTIVATION>(x.x), high = activate<ACTIVATION>(x.y);
      return args.are_gradients ? rounded_halves(activate_vjp<ACTIVATION>(x.x, low, d.x),
                                                 activate_vjp<ACTIVATION>(x.y, high, d.y))
                                : rounded_halves(low, high);
    });
  }
}

/// The last layer of a row of samples, before its activation. `values`: of the row.
MOTE_DEVICE void last_layer(const NetworkArgs& args, const uint4* values, BlockSums<1>& sums) {
  const LayerBlocks last = layer_blocks(args.shape, args.shape.hidden_layers);
  const uint4* const weights = args.weights + static_cast<std::size_t>(last.first) * kBlockLanes;
  set_zero(sums);
  for (int k = 0; k < last.inputs; ++k) {
    add_product(block_words(values + k * kBlockLanes),
                load_whole(weights + k * kBlockLanes + threadIdx.x % kWarp), 0, sums);
  }
}

constexpr unsigned kOutputWords = 8, kOutputGradientWords = 16;  // of a lane

/// A warp has a row of samples. `values`: of the last hidden layer.
MOTE_KERNEL(kThreads) write_outputs(NetworkArgs args, SampleGroup group, const uint4* values) {
  const auto row = static_cast<int>(blockIdx.x * kWarps + threadIdx.x / kWarp);
  if (row >= rows_of(group)) return;
  BlockSums<1> sums;
  last_layer(args, values + static_cast<std::size_t>(row * args.shape.width_blocks) * kBlockLanes,
             sums);
  activate_outputs(args.shape.output_activation,
                   dynamic_shared<unsigned>() + threadIdx.x / kWarp * kOutputWords * kWarp, sums);
  const unsigned end = group.first + samples_of(group);
  for_each_sum(sums, [&](float& value, int sample_of_row, int output) {
    const unsigned sample = group.first + static_cast<unsigned>(kBlockValues * row + sample_of_row);
    if (output >= args.outputs || sample >= end) return;
    args.values[static_cast<std::size_t>(output) * args.stride + sample] = value;
  });
}

/// The gradients before the output activation: [rows] blocks.
MOTE_KERNEL(kThreads)
begin_gradients(NetworkGradientArgs args, SampleGroup group, const uint4* values, uint4* d) {
  const auto row = static_cast<int>(blockIdx.x * kWarps + threadIdx.x / kWarp);
  if (row >= rows_of(group)) return;
  const NetworkShape& shape = args.forward.shape;
  BlockSums<1> sums;
  load_output_gradients(args, group.first + samples_of(group),
                        group.first + static_cast<unsigned>(kBlockValues * row), sums);
  if (shape.output_activation != LayerActivation::none) {
    BlockSums<1> arguments;
    last_layer(args.forward,
               values + static_cast<std::size_t>(row * shape.width_blocks) * kBlockLanes,
               arguments);
    output_gradients_before(
        shape.output_activation,
        dynamic_shared<unsigned>() + threadIdx.x / kWarp * kOutputGradientWords * kWarp, arguments,
        sums);
  }
  store_block(rounded_sums(LayerActivation::none, sums.at[0]), d + row * kBlockLanes);
}

MOTE_KERNEL(kProductThreads) multiply_samples(WeightProductArgs args, SampleGroup group) {
  const int across = (args.layer.inputs + kSideBlocks - 1) / kSideBlocks;
  const int down = (args.layer.outputs + kSideBlocks - 1) / kSideBlocks;
  const int tile = static_cast<int>(blockIdx.x) % (across * down);
  const int part = static_cast<int>(blockIdx.x) / (across * down);
  const int output = tile / across * kSideBlocks, input = tile % across * kSideBlocks;
  // Whole steps of rows. Those of a tile beyond the samples add zeros.
  const int steps = rows_of(group) / kStepBlocks;
  const auto parts = static_cast<int>(args.part_count);
  const int of_part = (steps + parts - 1) / parts * kStepBlocks;
  const int begin = part * of_part, all = steps * kStepBlocks;
  const int end = begin + of_part < all ? begin + of_part : all;
  if (begin >= end && !args.from_zero) return;
  TileSums sums;
  multiply_tile<true>(
      {args.d, 1, static_cast<std::size_t>(args.layer.outputs), output, args.layer.outputs},
      {args.values, 1, static_cast<std::size_t>(args.layer.inputs), input, args.layer.inputs},
      begin, end, sums);
  const std::size_t first =
      static_cast<std::size_t>(part) * static_cast<std::size_t>(args.network_blocks) +
      static_cast<std::size_t>(args.layer.first);
  for_each_tile_block(sums, [&](const float4(&own)[2], int row, int column) {
    if (output + row >= args.layer.outputs || input + column >= args.layer.inputs) return;
    const int block = (output + row) * args.layer.inputs + input + column;
    MOTE_UNROLL
    for (unsigned half = 0; half < 2; ++half) {
      float4& to = args.parts[((first + static_cast<std::size_t>(block)) * 2 + half) * kBlockLanes +
                              threadIdx.x % kWarp];
      const float4 before = args.from_zero ? float4{0, 0, 0, 0} : to;
      to = {before.x + own[half].x, before.y + own[half].y, before.z + own[half].z,
            before.w + own[half].w};
    }
  });
}

}  // namespace

LaunchShape GroupLaunch::lanes(int blocks, const char* name) const {
  const std::size_t count = std::size_t{layers.rows()} * static_cast<std::size_t>(blocks);
  return {.blocks = blocks_for(count * kBlockLanes, kThreads), .threads = kThreads, .name = name};
}

LaunchShape GroupLaunch::rows(unsigned lane_words, const char* name) const {
  return {.blocks = blocks_for(layers.rows(), kWarps),
          .threads = kThreads,
          .dynamic_shared_bytes = kThreads * lane_words * sizeof(unsigned),
          .name = name};
}

void GroupLaunch::arrange(const NetworkArgs& args, uint4* inputs) const {
  launch(arrange_inputs, lanes(args.shape.input_blocks, "inputs of a network"), stream, args, group,
         inputs);
}

void GroupLaunch::multiply(const LayerProductArgs& product, const char* name) const {
  const unsigned tiles = layers.rows() / kSideBlocks *
                         blocks_for(static_cast<std::size_t>(product.outputs), kSideBlocks);
  launch(multiply_layer,
         {.blocks = tiles,
          .threads = kProductThreads,
          .dynamic_shared_bytes = kProductBytes,
          .name = name},
         stream, product, group);
}

void GroupLaunch::activate(const NetworkShape& shape, const uint4* arguments, uint4* results,
                           bool are_gradients) const {
  launch(activate_layer, lanes(shape.width_blocks, "activations of a network"), stream,
         LayerActivationArgs{group, shape.width_blocks, shape.activation, arguments, results,
                             are_gradients});
}

void GroupLaunch::write(const NetworkArgs& args, const uint4* values) const {
  launch(write_outputs, rows(kOutputWords, "outputs of a network"), stream, args, group, values);
}

void GroupLaunch::begin(const NetworkGradientArgs& args, const uint4* values, uint4* d) const {
  launch(begin_gradients, rows(kOutputGradientWords, "gradients of outputs"), stream, args, group,
         values, d);
}

void GroupLaunch::add_weights(const WeightProductArgs& product) const {
  const LayerBlocks& layer = product.layer;
  const unsigned tiles = blocks_for(static_cast<std::size_t>(layer.inputs), kSideBlocks) *
                         blocks_for(static_cast<std::size_t>(layer.outputs), kSideBlocks);
  launch(multiply_samples,
         {.blocks = product.part_count * tiles,
          .threads = kProductThreads,
          .dynamic_shared_bytes = kProductBytes,
          .name = "gradients of a layer's weights"},
         stream, product, group);
}

void GroupLaunch::store(const NetworkGradientArgs& args, const uint4* d) const {
  launch(store_input_gradients, lanes(args.forward.shape.input_blocks, "gradients of inputs"),
         stream, args, group, d);
}

}  // namespace mote::cuda
